package main

import (
	"fmt"
	"sort"
	"sync"
)

type posting struct {
	doc  int
	freq int
}

// segment is one immutable part of an index, with figures for the merger.
type segment struct {
	mu       sync.RWMutex
	terms    map[string][]posting
	sealed   bool
	searches int
	lastTerm string
}

func (s *segment) find(term string) []posting {
	s.mu.RLock()
	defer s.mu.RUnlock()
	s.searches++      //race:segment.searches
	s.lastTerm = term //race:segment.lastTerm
	return s.terms[term]
}

func (s *segment) seal() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, list := range s.terms {
		sort.Slice(list, func(i, j int) bool { return list[i].doc < list[j].doc })
	}
	s.sealed = true
}

type index struct {
	segments []*segment
}

func (x *index) search(term string) (hits int) {
	for _, s := range x.segments {
		hits += len(s.find(term))
	}
	return hits
}

func main() {
	seg := &segment{terms: map[string][]posting{"race": {{4, 1}, {2, 3}}, "lock": {{1, 1}}}}
	seg.seal()
	x := &index{segments: []*segment{seg}}
	var wg sync.WaitGroup
	for _, term := range []string{"race", "lock", "race"} {
		wg.Add(1)
		go func(term string) {
			defer wg.Done()
			x.search(term)
		}(term)
	}
	wg.Wait()
	fmt.Println("searched", seg.searches > 0)
}
