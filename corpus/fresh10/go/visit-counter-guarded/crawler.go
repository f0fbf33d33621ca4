package main

import (
	"fmt"
	"os"
	"sync"
)

type crawler struct {
	workers int
	urls    chan string
	done    sync.WaitGroup

	visited int
	bytes   int64
}

func newCrawler(workers int) *crawler {
	c := &crawler{workers: workers, urls: make(chan string, 8)}
	c.done.Add(workers)
	for i := 0; i < workers; i++ {
		go c.work()
	}
	return c
}

func (c *crawler) enqueue(url string) { c.urls <- url }

func (c *crawler) finish() {
	close(c.urls)
	c.done.Wait()
}

func (c *crawler) work() {
	defer c.done.Done()
	for url := range c.urls {
		c.visit(url)
	}
}

func (c *crawler) visit(url string) {
	defer func() {
		if p := recover(); p != nil {
			fmt.Fprintln(os.Stderr, "skipped", url, p)
		}
	}()
	body := fetch(url)
	c.visited++                 //race:crawler.visited
	c.bytes += int64(len(body)) //race:crawler.bytes
}
