// Package probe looks at hosts.
package probe

import (
	"sync"
	"sync/atomic"
	"time"
)

// Sweep looks at many hosts at once.
type Sweep struct {
	wg    sync.WaitGroup
	alive atomic.Int32
}

// Start begins to look at the hosts.
func (s *Sweep) Start(hosts []string) {
	for i := range hosts {
		go s.look(hosts[i], time.Duration(i)*6*time.Millisecond)
	}
}

func (s *Sweep) look(host string, after time.Duration) {
	time.Sleep(after)
	s.wg.Add(1) //race:Sweep.wg
	defer s.wg.Done()
	if host != "" {
		s.alive.Add(1)
	}
	time.Sleep(20 * time.Millisecond)
}

// Alive waits for the sweep and says how many hosts answered.
func (s *Sweep) Alive() int {
	s.wg.Wait() //race:Sweep.wg
	return int(s.alive.Load())
}
