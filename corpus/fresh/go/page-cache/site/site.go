// Package site renders pages.
package site

import (
	"fmt"
	"time"

	"github.com/deadheat-corpus/pagecache/cache"
)

// Site answers requests.
type Site struct {
	pages *cache.Cache
}

// New returns a site with a cache.
func New() *Site {
	return &Site{pages: cache.New(8)}
}

// Serve answers one request.
func (s *Site) Serve(path string) []byte {
	if p, ok := s.pages.Get(path); ok {
		return p.Body
	}
	p := render(path)
	s.pages.Put(p)
	return p.Body
}

func render(path string) *cache.Page {
	time.Sleep(2 * time.Millisecond)
	return &cache.Page{Path: path, Body: []byte("<h1>" + path + "</h1>")}
}

// Status is the page for those who run the site.
func (s *Site) Status() string {
	return fmt.Sprintf("hit rate: %.2f", s.pages.HitRate())
}
