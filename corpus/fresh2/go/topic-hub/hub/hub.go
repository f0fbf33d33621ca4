// Package hub brings publishers and subscribers together.
package hub

import "strconv"

// Topic has subscribers.
type Topic struct {
	Name string
	Subs int
}

// Hub knows all topics.
type Hub struct {
	topics map[string]*Topic
}

// New returns a hub without topics.
func New() *Hub {
	return &Hub{topics: make(map[string]*Topic)}
}

// Subscribe adds a subscriber to a topic.
func (h *Hub) Subscribe(client, n int) {
	h.ensure("c" + strconv.Itoa(client) + "/t" + strconv.Itoa(n))
}

func (h *Hub) ensure(name string) {
	h.topics[name] = &Topic{Name: name, Subs: 1} //race:Hub.topics[]
}

// Leave removes a topic.
func (h *Hub) Leave(client, n int) {
	delete(h.topics, "c"+strconv.Itoa(client)+"/t"+strconv.Itoa(n)) //race:Hub.topics[]
}
