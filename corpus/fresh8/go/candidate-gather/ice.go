package main

import (
	"fmt"
	"time"
)

type candidate struct {
	addr     string
	priority int
}

// gatherer finds the addresses under which a peer can be reached.
type gatherer struct {
	local  string
	found  []candidate
	closed chan struct{}
}

func (g *gatherer) probe(kind string, priority int) {
	for port := 4000; port < 4004; port++ {
		g.add(candidate{fmt.Sprintf("%s:%d/%s", g.local, port, kind), priority})
		time.Sleep(200 * time.Microsecond)
	}
	close(g.closed)
}

func (g *gatherer) add(c candidate) {
	for _, have := range g.found {
		if have.addr == c.addr {
			return
		}
	}
	g.found = append(g.found, c) //race:gatherer.found
}

func (g *gatherer) best() (candidate, bool) {
	var top candidate
	for _, c := range g.found { //race:gatherer.found
		if c.priority > top.priority {
			top = c
		}
	}
	return top, top.addr != ""
}

type checker struct {
	g      *gatherer
	rounds int
}

func (c *checker) run() {
	for {
		select {
		case <-c.g.closed:
			return
		case <-time.After(150 * time.Microsecond):
		}
		c.rounds++
		if top, ok := c.g.best(); ok && top.priority > 100 {
			return
		}
	}
}

func main() {
	g := &gatherer{local: "10.0.0.7", closed: make(chan struct{})}
	go g.probe("host", 20)
	c := &checker{g: g}
	c.run()
	<-g.closed
	fmt.Println("checked", c.rounds > 0)
}
