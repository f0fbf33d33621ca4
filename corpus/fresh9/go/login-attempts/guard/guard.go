package guard

import "time"

const limit = 5

// Guard refuses accounts after too many failures.
type Guard struct {
	failed map[string]int
	every  time.Duration
	stop   chan struct{}
}

// New starts a guard with its janitor.
func New(every time.Duration) *Guard {
	g := &Guard{failed: map[string]int{}, every: every, stop: make(chan struct{})}
	go g.janitor()
	return g
}

// Failed notes a failure.
func (g *Guard) Failed(account string) {
	g.failed[account]++ //race:Guard.failed[]
}

// Allowed says whether an account may try again.
func (g *Guard) Allowed(account string) bool {
	return g.failed[account] < limit //race:Guard.failed[]
}

func (g *Guard) janitor() {
	t := time.NewTicker(g.every)
	defer t.Stop()
	for {
		select {
		case <-g.stop:
			return
		case <-t.C:
			g.expire()
		}
	}
}

func (g *Guard) expire() {
	for account, n := range g.failed { //race:Guard.failed[]
		if n >= limit {
			delete(g.failed, account) //race:Guard.failed[]
		}
	}
}

// Close stops the janitor.
func (g *Guard) Close() { close(g.stop) }
