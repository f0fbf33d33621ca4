// Package hub sends messages to every client that is connected.
package hub

import "sync"

type client struct {
	name string
	out  chan []byte
}

// Hub knows the clients.
type Hub struct {
	mu      sync.RWMutex
	clients map[string]*client
}

// NewHub returns a hub without clients.
func NewHub() *Hub {
	return &Hub{clients: make(map[string]*client)}
}

func (h *Hub) join(name string) *client {
	h.mu.Lock()
	defer h.mu.Unlock()
	c := &client{name: name, out: make(chan []byte, 16)}
	h.clients[name] = c
	return c
}

func (h *Hub) everyone() []*client {
	h.mu.RLock()
	defer h.mu.RUnlock()
	all := make([]*client, 0, len(h.clients))
	for _, c := range h.clients {
		all = append(all, c)
	}
	return all
}

func (h *Hub) leave(c *client) {
	h.mu.Lock()
	delete(h.clients, c.name)
	h.mu.Unlock()
	close(c.out) //race:client.out
}
