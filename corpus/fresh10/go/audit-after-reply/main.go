package main

import (
	"fmt"
	"strings"
)

func main() {
	a := &auditor{lines: make(chan string, 32)}
	c := &conn{handle: a.wrap(echo)}
	n := c.serve(strings.NewReader("ping 1\nstat a\nping 2\nquit now\n"))
	for i := 0; i < n; i++ {
		<-a.lines
	}
	fmt.Println("calls:", n)
}

func echo(r *request) string { return "ok" }
