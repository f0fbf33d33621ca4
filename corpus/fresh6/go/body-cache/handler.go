package main

import (
	"bytes"
	"fmt"
	"sync"
)

var bufs = sync.Pool{New: func() interface{} { return bytes.NewBuffer(make([]byte, 0, 128)) }}

type article struct {
	id    int
	title string
}

func renderArticle(a article) []byte {
	buf := bufs.Get().(*bytes.Buffer)
	defer bufs.Put(buf)
	buf.Reset()                                                 //race:buf
	fmt.Fprintf(buf, "{\"id\":%d,\"title\":%q}", a.id, a.title) //race:buf
	return buf.Bytes()                                          //race:buf
}

type cached struct {
	key  int
	body []byte
}

// bodyCache checks bodies in the background before it keeps them.
type bodyCache struct {
	in   chan cached
	done chan int
}

func newBodyCache() *bodyCache {
	c := &bodyCache{in: make(chan cached, 16), done: make(chan int, 1)}
	go c.run()
	return c
}

func (c *bodyCache) run() {
	kept := make(map[int]int)
	for e := range c.in {
		kept[e.key] = checksum(e.body)
	}
	c.done <- len(kept)
}

func checksum(b []byte) int {
	sum := 0
	for _, x := range b { //race:buf
		sum = sum*31 + int(x)
	}
	return sum
}
