package main

import (
	"fmt"
	"strings"
	"time"

	"example.com/search/writer/index"
)

func main() {
	docs := map[int][]string{
		1: strings.Fields("the quick brown fox"),
		2: strings.Fields("jumps over the lazy dog"),
	}
	w := index.Open(docs, time.Millisecond)
	time.Sleep(6 * time.Millisecond)
	w.Close()
	time.Sleep(3 * time.Millisecond)
	fmt.Println("closed")
}
