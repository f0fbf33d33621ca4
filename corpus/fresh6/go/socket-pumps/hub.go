package main

import (
	"time"
)

type client struct {
	id     int
	frames int
	closed chan struct{}
}

type hub struct {
	clients map[int]*client
	ping    time.Duration
}

func newHub(n int) *hub {
	h := &hub{clients: make(map[int]*client), ping: time.Millisecond}
	for i := 0; i < n; i++ {
		h.clients[i] = &client{id: i, frames: 3 + 5*i, closed: make(chan struct{})}
	}
	return h
}

func (h *hub) Serve() {
	for _, c := range h.clients {
		go h.readPump(c)
	}
}

func (h *hub) readPump(c *client) {
	for i := 0; i < c.frames; i++ {
		select {
		case <-c.closed:
			return
		case <-time.After(h.ping):
		}
	}
	h.unregister(c)
}

func (h *hub) unregister(c *client) {
	delete(h.clients, c.id) //race:hub.clients
}

// Shutdown closes all clients.
func (h *hub) Shutdown() {
	for _, c := range h.clients { //race:hub.clients
		close(c.closed)
	}
	h.clients = nil //race:hub.clients
}
