package main

import (
	"fmt"
	"strings"
	"sync"
)

var lastID uint64

func nextID() uint64 {
	lastID++      //race:lastID
	return lastID //race:lastID
}

type conn struct {
	id     uint64
	remote string
}

type exchange struct {
	id   uint64
	verb string
	path string
}

type proxy struct {
	upstream string
	wg       sync.WaitGroup
}

func (p *proxy) accept(remote string) {
	c := &conn{remote: remote}
	p.wg.Add(1)
	go func() {
		defer p.wg.Done()
		p.serve(c, []string{"GET /", "GET /style.css", "POST /form"})
	}()
}

func (p *proxy) serve(c *conn, lines []string) {
	for _, line := range lines {
		x := parse(line)
		p.forward(x)
		c.id = x.id
	}
}

func parse(line string) exchange {
	verb, path, _ := strings.Cut(line, " ")
	return exchange{nextID(), verb, path}
}

func (p *proxy) forward(x exchange) int {
	return len(p.upstream) + len(x.path)
}

func main() {
	p := &proxy{upstream: "10.1.0.4:8080"}
	for i := 0; i < 5; i++ {
		p.accept(fmt.Sprintf("192.0.2.%d:5000", i))
	}
	p.wg.Wait()
	fmt.Println("served")
}
