package main

import (
	"fmt"
	"sync"
)

// recordSet gives out the addresses of a name in turn.
type recordSet struct {
	mu    sync.RWMutex
	name  string
	addrs []string
	turn  int
}

func (r *recordSet) replace(addrs []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.addrs = addrs
	r.turn = 0
}

func (r *recordSet) answer() []string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	n := len(r.addrs)
	if n == 0 {
		return nil
	}
	r.turn = (r.turn + 1) % n //race:recordSet.turn
	start := r.turn           //race:recordSet.turn
	out := make([]string, 0, n)
	out = append(out, r.addrs[start:]...)
	return append(out, r.addrs[:start]...)
}

type resolver struct {
	sets map[string]*recordSet
}

func (r *resolver) lookup(name string) (string, bool) {
	set, ok := r.sets[name]
	if !ok {
		return "", false
	}
	found := set.answer()
	return found[0], true
}

func main() {
	api := &recordSet{name: "api."}
	api.replace([]string{"10.0.0.1", "10.0.0.2", "10.0.0.3"})
	r := &resolver{sets: map[string]*recordSet{"api.": api}}
	var wg sync.WaitGroup
	for q := 0; q < 4; q++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := 0; i < 5; i++ {
				r.lookup("api.")
			}
		}()
	}
	wg.Wait()
	fmt.Println("answered")
}
