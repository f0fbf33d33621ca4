package main

import (
	"fmt"

	"example.com/ls/index/index"
)

func pkg(path string, n int) index.Package {
	p := index.Package{Path: path}
	for i := 0; i < n; i++ {
		p.Symbols = append(p.Symbols, fmt.Sprintf("F%d", i))
	}
	return p
}

func main() {
	table := index.Build([]index.Package{pkg("net/url", 3), pkg("strings", 3)})
	fmt.Println(len(index.Names(table)) > 0)
}
