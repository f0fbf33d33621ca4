package main

import "sync"

type link struct {
	url   string
	depth int
}

// frontier holds the links still to be visited, oldest first.
type frontier struct {
	pending  []link
	maxDepth int
}

func (f *frontier) push(l link) bool {
	if l.depth > f.maxDepth {
		return false
	}
	f.pending = append(f.pending, l) //race:frontier.pending
	return true
}

func (f *frontier) pop() (link, bool) {
	if len(f.pending) == 0 { //race:frontier.pending
		return link{}, false
	}
	l := f.pending[0]         //race:frontier.pending
	f.pending = f.pending[1:] //race:frontier.pending
	return l, true
}

type fetcher interface {
	Links(url string) []string
}

type crawler struct {
	front   *frontier
	fetch   fetcher
	workers int
	visits  chan string
}

func (c *crawler) work(limit int) {
	for n := 0; n < limit; n++ {
		l, ok := c.front.pop()
		if !ok {
			return
		}
		c.visits <- l.url
		for _, next := range c.fetch.Links(l.url) {
			c.front.push(link{url: next, depth: l.depth + 1})
		}
	}
}

func (c *crawler) run(seeds ...string) int {
	for _, s := range seeds {
		c.front.push(link{url: s})
	}
	var wg sync.WaitGroup
	for i := 0; i < c.workers; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			c.work(2)
		}()
	}
	wg.Wait()
	return len(c.visits)
}
