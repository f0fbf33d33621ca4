package plugins

import (
	"sync/atomic"
	"time"

	"go.example.dev/audit/audit"
)

// Counter is a hook that counts.
type Counter struct {
	name string
	n    int64
}

func (c *Counter) Name() string { return c.name }

func (c *Counter) OnEntry(audit.Entry) { atomic.AddInt64(&c.n, 1) }

// New makes a hook that is not registered yet.
func New(name string) *Counter { return &Counter{name: name} }

// Load brings the plugins up one after the other, as their handshakes end.
func Load(t *audit.Trail, hooks []*Counter, ready chan<- string) {
	for _, h := range hooks {
		time.Sleep(2 * time.Millisecond) // handshake
		t.AddHook(h)
	}
	ready <- "plugins"
}
