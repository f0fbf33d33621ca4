package spider

import (
	"testing"
	"time"
)

type site map[string][]string

func (s site) Links(url string) []string {
	time.Sleep(15 * time.Millisecond)
	return s[url]
}

func TestCrawlVisitsPages(t *testing.T) {
	s := New(site{
		"/":     {"/a", "/b"},
		"/a":    {"/a/1", "/"},
		"/b":    {"/b/1"},
		"/blog": nil,
	})
	if got := s.Crawl(3, "/"); got == 0 {
		t.Error("nothing was visited")
	}
}
