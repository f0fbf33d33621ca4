package main

import (
	"fmt"
	"time"
)

type site map[string][]string

func (s site) Links(url string) []string {
	time.Sleep(2 * time.Millisecond)
	return s[url]
}

func main() {
	s := site{"/": {"/a", "/b"}, "/docs": {"/docs/1"}, "/a": {"/c"}}
	c := &crawler{front: &frontier{maxDepth: 2}, fetch: s, workers: 2, visits: make(chan string, 32)}
	fmt.Println("visited some:", c.run("/", "/docs", "/a", "/b") > 0)
}
