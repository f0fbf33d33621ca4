// Package broker carries messages.
package broker

import "sync"

// Broker knows all topics.
type Broker struct {
	mu     sync.RWMutex
	topics map[string]*Topic
}

// New returns a broker with these topics.
func New(names ...string) *Broker {
	b := &Broker{topics: map[string]*Topic{}}
	for _, name := range names {
		b.topics[name] = &Topic{name: name, subs: []Subscriber{func(string) {}}}
	}
	return b
}

func (b *Broker) topic(name string) *Topic {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.topics[name]
}

// Subscribe adds a subscriber.
func (b *Broker) Subscribe(name string, s Subscriber) {
	b.topic(name).add(s)
}

// Publish hands a message to every subscriber.
func (b *Broker) Publish(name, msg string) {
	t := b.topic(name)
	t.each(func(s Subscriber) {
		s(msg)
		t.count()
	})
}
