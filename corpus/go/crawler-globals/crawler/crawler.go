// Package crawler fetches pages.
package crawler

import "time"

var (
	limit = 10
	agent = "crawler/1"
)

// Crawler fetches in the background.
type Crawler struct {
	stop chan struct{}
	seen int
}

// Start starts a crawler.
func Start() *Crawler {
	c := &Crawler{stop: make(chan struct{})}
	go c.loop()
	return c
}

func (c *Crawler) loop() {
	for {
		select {
		case <-c.stop:
			return
		case <-time.After(2 * time.Millisecond):
			c.crawl()
		}
	}
}

func (c *Crawler) crawl() {
	if c.seen < limit { //race:limit
		c.fetch(agent) //race:agent
	}
}

func (c *Crawler) fetch(as string) {
	c.seen += len(as) & 1
}
