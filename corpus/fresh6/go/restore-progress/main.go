package main

import (
	"fmt"
	"io"
)

func main() {
	r := newRestore(io.Discard, 3)
	var paths []string
	for i := 0; i < 15; i++ {
		paths = append(paths, fmt.Sprintf("/var/lib/data/%02d.seg", i))
	}
	r.Run(paths)
	fmt.Println("restored")
}
