package main

import "fmt"

func main() {
	out := &memorySink{max: 100}
	ix := &indexer{out: out, read: fromDisk}
	if err := ix.Index([]string{"a.md", "b.md", "c.md", "d.md"}); err != nil {
		fmt.Println(err)
	}
	fmt.Println("indexed some:", out.Len() > 0)
}
