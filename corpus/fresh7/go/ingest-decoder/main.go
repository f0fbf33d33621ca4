package main

import (
	"fmt"
	"os"
)

func main() {
	blocks := []block{
		{offset: 0, lines: []string{"a=1", "b=2"}},
		{offset: 2, lines: []string{"c=3", "broken"}},
		{offset: 4, lines: []string{"d=4", "e=5"}},
	}
	recs, err := decodeAll(blocks, 3)
	if err != nil {
		fmt.Fprintln(os.Stderr, "ingest:", err)
	}
	fmt.Println("decoded any:", len(recs) > 0)
}
