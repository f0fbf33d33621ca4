package main

import (
	"fmt"
	"sync"
	"sync/atomic"
)

type script func(args []string) string

type host struct {
	scripts map[string]script
	ran     atomic.Int32
	running sync.WaitGroup

	failure string
}

func newHost() *host {
	return &host{scripts: map[string]script{}}
}

func (h *host) register(name string, s script) { h.scripts[name] = s }

// submit runs a script in a goroutine of its own.
func (h *host) submit(name string, args ...string) {
	h.running.Add(1)
	go h.run(name, args)
}

func (h *host) run(name string, args []string) {
	defer h.running.Done()
	defer h.rescue(name)
	h.scripts[name](args)
	h.ran.Add(1)
}

// rescue keeps the panic of a script from taking the host down.
func (h *host) rescue(name string) {
	if p := recover(); p != nil {
		h.failure = fmt.Sprintf("%s: %v", name, p) //race:host.failure
	}
}

func (h *host) healthy() bool {
	return h.failure == "" //race:host.failure
}

func (h *host) wait() { h.running.Wait() }
