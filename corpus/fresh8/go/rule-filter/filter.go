package main

import (
	"fmt"
	"sync"
)

type rule struct {
	zone string
	port int
}

type ruleset struct {
	rules []rule
}

// forZone gives the rules of a zone, without a new array.
func (s *ruleset) forZone(zone string) []rule {
	kept := s.rules[:0]
	for _, r := range s.rules { //race:ruleset.rules[]
		if r.zone == zone || r.zone == "any" {
			kept = append(kept, r) //race:ruleset.rules[]
		}
	}
	return kept
}

type packet struct {
	zone string
	port int
}

func (s *ruleset) blocked(p packet) bool {
	for _, r := range s.forZone(p.zone) { //race:ruleset.rules[]
		if r.port == p.port {
			return true
		}
	}
	return false
}

func main() {
	s := &ruleset{rules: []rule{
		{"lan", 22}, {"wan", 23}, {"any", 25}, {"wan", 445}, {"lan", 139}, {"any", 111},
	}}
	var wg sync.WaitGroup
	for _, p := range []packet{{"wan", 23}, {"lan", 22}, {"wan", 80}} {
		wg.Add(1)
		go func(p packet) {
			defer wg.Done()
			_ = s.blocked(p)
		}(p)
	}
	wg.Wait()
	fmt.Println("rules", len(s.rules))
}
