package main

import "sync"

type message struct {
	id   int
	body string
}

type topic struct {
	name string
	in   chan message
}

// publish queues a message; it waits when the topic is full.
func (t *topic) publish(m message) {
	t.in <- m //race:topic.in
}

// consume counts messages until the topic ends.
func (t *topic) consume() <-chan int {
	total := make(chan int, 1)
	go func() {
		n := 0
		for range t.in {
			n++
		}
		total <- n
	}()
	return total
}

type broker struct {
	mu     sync.Mutex
	topics map[string]*topic
}

func newBroker() *broker {
	return &broker{topics: make(map[string]*topic)}
}

func (b *broker) topic(name string) *topic {
	b.mu.Lock()
	defer b.mu.Unlock()
	t, ok := b.topics[name]
	if !ok {
		t = &topic{name: name, in: make(chan message, 64)}
		b.topics[name] = t
	}
	return t
}

func (b *broker) shutdown() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for name, t := range b.topics {
		close(t.in) //race:topic.in
		delete(b.topics, name)
	}
}
