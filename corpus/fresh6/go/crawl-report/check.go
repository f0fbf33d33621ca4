package main

import (
	"errors"
	"strings"
	"sync"
	"time"
)

var errGone = errors.New("410 gone")

type link struct {
	page string
	href string
}

type siteReport struct {
	root   string
	links  []link
	broken []string
}

type fetcher interface {
	Fetch(url string) (hrefs []string, err error)
}

type checker struct {
	f     fetcher
	slots chan struct{}
}

func newChecker(f fetcher, parallel int) *checker {
	return &checker{f: f, slots: make(chan struct{}, parallel)}
}

// Check visits every page of a site and collects the links found on them.
func (c *checker) Check(root string, pages []string) *siteReport {
	rep := &siteReport{root: root}
	var wg sync.WaitGroup
	for _, p := range pages {
		wg.Add(1)
		c.slots <- struct{}{}
		go func(page string) {
			defer wg.Done()
			defer func() { <-c.slots }()
			c.visit(rep, page)
		}(root + p)
	}
	wg.Wait()
	return rep
}

func (c *checker) visit(rep *siteReport, page string) {
	hrefs, err := c.f.Fetch(page)
	if err != nil {
		rep.broken = append(rep.broken, page) //race:siteReport.broken
		return
	}
	for _, h := range hrefs {
		if strings.HasPrefix(h, "mailto:") {
			continue
		}
		rep.links = append(rep.links, link{page: page, href: h}) //race:siteReport.links
	}
}

type cannedSite map[string][]string

func (s cannedSite) Fetch(url string) ([]string, error) {
	time.Sleep(time.Millisecond)
	hrefs, ok := s[url]
	if !ok {
		return nil, errGone
	}
	return hrefs, nil
}
