package main

import (
	"strings"
	"sync"
)

type entry struct {
	id     int
	text   string
	status string
}

// history keeps the commands of a shell session.
type history struct {
	mu      sync.RWMutex
	entries []entry
}

func (h *history) add(text string) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	id := len(h.entries)
	h.entries = append(h.entries, entry{id: id, text: text, status: "running"}) //race:history.entries[]
	return id
}

func (h *history) finish(id int, status string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.entries[id].status = status //race:history.entries[]
}

func (h *history) all() []entry {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.entries
}

func page(h *history) string {
	var b strings.Builder
	for _, e := range h.all() { //race:history.entries[]
		b.WriteString(e.text)
		b.WriteString(" ")
		b.WriteString(e.status)
		b.WriteString("\n")
	}
	return b.String()
}
