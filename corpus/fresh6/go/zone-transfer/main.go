package main

import (
	"fmt"
	"sync"
	"time"
)

type zone struct {
	serial  uint32
	records int
}

type primary struct {
	latency time.Duration
}

func (p primary) axfr(name string, have uint32) (int, error) {
	time.Sleep(p.latency)
	if name == "" {
		return 0, fmt.Errorf("empty zone name")
	}
	return int(have%7) + 1, nil
}

type secondary struct {
	from  primary
	zones map[string]*zone

	mu      sync.Mutex
	updated map[string]int
}

func (s *secondary) store(name string, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.updated[name] = n
}

// refresh transfers all zones anew.
func (s *secondary) refresh() {
	var wg sync.WaitGroup
	for name, z := range s.zones { //race:name,z
		wg.Add(1)
		go func() {
			defer wg.Done()
			have := z.serial                  //race:z
			n, err := s.from.axfr(name, have) //race:name
			if err != nil {
				fmt.Println(err)
				return
			}
			s.store(name, n) //race:name
		}()
	}
	wg.Wait()
}

func main() {
	s := &secondary{
		from:    primary{latency: time.Millisecond},
		zones:   map[string]*zone{"a.test": {serial: 5}, "b.test": {serial: 9}, "c.test": {serial: 2}},
		updated: map[string]int{},
	}
	s.refresh()
	fmt.Println("zones", len(s.zones))
}
