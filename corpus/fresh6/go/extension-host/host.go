package main

import (
	"fmt"
	"time"
)

type event struct {
	kind string
	size int
}

type plugin interface {
	Handle(ev event) error
}

type pluginState struct {
	name      string
	lastPanic string
	started   time.Time
}

type host struct {
	plugins map[string]plugin
	states  map[string]*pluginState
	events  map[string]chan event
}

func newHost() *host {
	return &host{
		plugins: map[string]plugin{},
		states:  map[string]*pluginState{},
		events:  map[string]chan event{},
	}
}

func (h *host) register(name string, p plugin) {
	h.plugins[name] = p
	h.states[name] = &pluginState{name: name, started: time.Now()}
	h.events[name] = make(chan event, 8)
}

func (h *host) start() {
	for name := range h.plugins {
		go h.runPlugin(name)
	}
}

func (h *host) runPlugin(name string) {
	st := h.states[name]
	for ev := range h.events[name] {
		h.guard(st, func() error { return h.plugins[name].Handle(ev) })
	}
}

// guard keeps a plug-in that panics from taking the host down.
func (h *host) guard(st *pluginState, fn func() error) {
	defer func() {
		if r := recover(); r != nil {
			st.lastPanic = fmt.Sprint(r) //race:pluginState.lastPanic
		}
	}()
	if err := fn(); err != nil {
		fmt.Println(st.name, err)
	}
}

func (h *host) statusPage() []string {
	var lines []string
	for name, st := range h.states {
		line := name + ": ok"
		if st.lastPanic != "" { //race:pluginState.lastPanic
			line = name + ": " + st.lastPanic //race:pluginState.lastPanic
		}
		lines = append(lines, line)
	}
	return lines
}
