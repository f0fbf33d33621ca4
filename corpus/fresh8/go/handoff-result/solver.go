package main

import (
	"fmt"
	"sort"
	"time"
)

type constraint struct {
	pkg      string
	versions []int
}

// solver picks a version for every package.
type solver struct {
	constraints []constraint
	picked      map[string]int
	ready       chan struct{}
}

func newSolver(cs []constraint) *solver {
	return &solver{constraints: cs, ready: make(chan struct{}, 1)}
}

func (s *solver) solve() {
	picked := map[string]int{}
	for _, c := range s.constraints {
		sort.Ints(c.versions)
		picked[c.pkg] = c.versions[len(c.versions)-1]
	}
	s.ready <- struct{}{}
	s.picked = picked //race:solver.picked
}

func (s *solver) result(patience time.Duration) map[string]int {
	select {
	case <-s.ready:
		time.Sleep(500 * time.Microsecond)
		return s.picked //race:solver.picked
	case <-time.After(patience):
		return nil
	}
}

func lockfile(s *solver) int {
	go s.solve()
	return len(s.result(time.Second))
}

func main() {
	s := newSolver([]constraint{
		{"left-pad", []int{1, 3, 2}},
		{"is-odd", []int{2, 1}},
		{"chalk", []int{4, 5}},
	})
	fmt.Println("locked", lockfile(s) >= 0)
}
