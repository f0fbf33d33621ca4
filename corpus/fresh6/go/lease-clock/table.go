package lease

import (
	"sync"
	"time"
)

var now = time.Now

type lease struct {
	holder  string
	expires time.Time
}

// Table keeps who holds what; expired leases are reaped in the background.
type Table struct {
	mu     sync.Mutex
	leases map[string]lease
	quit   chan struct{}
	idle   chan struct{}
}

func Open(every time.Duration) *Table {
	t := &Table{
		leases: make(map[string]lease),
		quit:   make(chan struct{}),
		idle:   make(chan struct{}),
	}
	go t.reaper(every)
	return t
}

func (t *Table) reaper(every time.Duration) {
	defer close(t.idle)
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-t.quit:
			return
		case <-tick.C:
			t.reap(now()) //race:now
		}
	}
}

func (t *Table) reap(at time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for key, l := range t.leases {
		if at.After(l.expires) {
			delete(t.leases, key)
		}
	}
}

// Acquire takes a lease if nobody has it.
func (t *Table) Acquire(key, holder string, ttl time.Duration) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if l, ok := t.leases[key]; ok && l.holder != holder {
		return false
	}
	t.leases[key] = lease{holder: holder, expires: time.Now().Add(ttl)}
	return true
}

func (t *Table) Holder(key string) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.leases[key].holder
}

func (t *Table) Close() {
	close(t.quit)
	<-t.idle
}
