package main

import "sync"

type message struct {
	key     string
	payload []byte
}

type subscription struct {
	name  string
	inbox chan message
}

// topic hands messages to its subscribers.
type topic struct {
	mu   sync.Mutex
	name string
	subs []*subscription
	next uint64
}

func (t *topic) subscribe(name string, depth int) *subscription {
	s := &subscription{name: name, inbox: make(chan message, depth)}
	t.mu.Lock()
	t.subs = append(t.subs, s) //race:topic.subs
	t.mu.Unlock()
	return s
}

func (t *topic) cancel(s *subscription) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, other := range t.subs {
		if other == s {
			t.subs = append(t.subs[:i:i], t.subs[i+1:]...) //race:topic.subs
			return
		}
	}
}

func (t *topic) publish(m message) int {
	t.mu.Lock()
	t.next++
	t.mu.Unlock()
	sent := 0
	for _, s := range t.subs { //race:topic.subs
		select {
		case s.inbox <- m:
			sent++
		default:
		}
	}
	return sent
}
