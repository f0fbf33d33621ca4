// Package hub sends every message to everybody who listens.
package hub

import (
	"fmt"
	"sync"
	"time"
)

// Hub knows all clients.
type Hub struct {
	mu      sync.RWMutex
	clients map[string]*client
	dropped uint64
}

// New returns a hub without clients.
func New() *Hub {
	return &Hub{clients: make(map[string]*client)}
}

// Join adds a client and returns its messages.
func (h *Hub) Join(name string) (<-chan []byte, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, taken := h.clients[name]; taken {
		return nil, fmt.Errorf("hub: %q has joined already", name)
	}
	c := newClient(name, 16)
	h.clients[name] = c
	return c.queue, nil
}

// Leave removes a client and ends its messages.
func (h *Hub) Leave(name string) {
	h.mu.Lock()
	c, ok := h.clients[name]
	delete(h.clients, name)
	h.mu.Unlock()
	if ok {
		time.Sleep(12 * time.Millisecond) // let it drain
		c.hangUp()
	}
}

func (h *Hub) everybody() []*client {
	h.mu.RLock()
	defer h.mu.RUnlock()
	list := make([]*client, 0, len(h.clients))
	for _, c := range h.clients {
		list = append(list, c)
	}
	return list
}

// Broadcast sends a message to all clients; slow ones miss it.
func (h *Hub) Broadcast(message []byte) int {
	sent := 0
	for _, c := range h.everybody() {
		time.Sleep(4 * time.Millisecond) // encode for the client's protocol
		if c.offer(message) {
			sent++
		}
	}
	return sent
}
