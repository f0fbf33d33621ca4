package crawl

import "time"

// Crawler follows links.
type Crawler struct {
	Logf func(format string, args ...interface{})
}

// Start crawls in the background.
func (c *Crawler) Start(urls ...string) {
	go c.crawl(urls)
}

func (c *Crawler) crawl(urls []string) {
	for _, u := range urls {
		time.Sleep(2 * time.Millisecond)
		c.visit(u)
	}
}

func (c *Crawler) visit(u string) {
	c.Logf("visited %s", u) //race:testing.T
}
