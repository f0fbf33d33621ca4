package main

import (
	"context"
	"errors"
	"sync"
	"time"
)

var errGaveUp = errors.New("load took too long")

type call struct {
	ready chan struct{}
	value string
	err   error
}

type loadFunc func(key string) (string, error)

// loader makes one load of a key serve all who ask meanwhile.
type loader struct {
	load loadFunc

	mu    sync.Mutex
	calls map[string]*call
}

func newLoader(fn loadFunc) *loader {
	return &loader{load: fn, calls: make(map[string]*call)}
}

func (l *loader) begin(key string) *call {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c, ok := l.calls[key]; ok {
		return c
	}
	c := &call{ready: make(chan struct{})}
	l.calls[key] = c
	go l.run(key, c)
	return c
}

func (l *loader) run(key string, c *call) {
	v, err := l.load(key)
	c.value = v //race:call.value
	c.err = err //race:call.err
	close(c.ready)
	l.mu.Lock()
	delete(l.calls, key)
	l.mu.Unlock()
}

// Get waits for the value or for the context.
func (l *loader) Get(ctx context.Context, key string) (string, error) {
	c := l.begin(key)
	select {
	case <-c.ready:
	case <-ctx.Done():
		c.err = errGaveUp //race:call.err
	}
	v := c.value    //race:call.value
	return v, c.err //race:call.err
}

func slowRow(key string) (string, error) {
	time.Sleep(4 * time.Millisecond)
	return "row of " + key, nil
}
