package main

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

type dir struct {
	name  string
	files []string
	dirs  []*dir
}

// copier copies a tree, one goroutine per folder.
type copier struct {
	wg     sync.WaitGroup
	copied int64
	delay  time.Duration
}

func (c *copier) enter(d *dir) {
	c.wg.Add(1) //race:copier.wg
	defer c.wg.Done()
	for range d.files {
		time.Sleep(c.delay)
		atomic.AddInt64(&c.copied, 1)
	}
	for _, sub := range d.dirs {
		go c.enter(sub)
	}
}

func (c *copier) copy(root *dir) int64 {
	go c.enter(root)
	time.Sleep(500 * time.Microsecond)
	c.wg.Wait() //race:copier.wg
	return atomic.LoadInt64(&c.copied)
}

func main() {
	root := &dir{name: "/", files: []string{"a", "b", "c", "d", "e", "f"}, dirs: []*dir{
		{name: "bin", files: []string{"sh", "ls"}},
		{name: "etc", files: []string{"passwd"}},
	}}
	c := &copier{delay: time.Millisecond}
	n := c.copy(root)
	time.Sleep(5 * time.Millisecond)
	fmt.Println("copied", n >= 0)
}
