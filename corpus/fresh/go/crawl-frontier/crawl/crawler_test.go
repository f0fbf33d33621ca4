package crawl

import (
	"testing"
	"time"
)

type site map[string][]string

func (s site) Fetch(url string) ([]string, error) {
	time.Sleep(6 * time.Millisecond)
	return s[url], nil
}

func TestCrawl(t *testing.T) {
	c := New(site{"/": {"/a"}, "/a": {"/"}})
	n := c.Crawl("/")
	t.Logf("%d pages", n)
	time.Sleep(10 * time.Millisecond)
}
