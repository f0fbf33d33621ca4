package main

import "time"

type revision struct {
	key string
	rev int64
}

type subscriber struct {
	name string
	ch   chan revision
}

func (s *subscriber) offer(r revision) bool {
	select {
	case s.ch <- r: //race:subscriber.ch
		return true
	default:
		return false
	}
}

// hub fans revisions out to all who watch.
type hub struct {
	source func(after int64) []revision
	cursor int64
	subs   []*subscriber
}

func (h *hub) subscribe(name string) <-chan revision {
	s := &subscriber{name: name, ch: make(chan revision, 16)} //race:subscriber.ch
	h.subs = append(h.subs, s)                                //race:hub.subs
	return s.ch
}

func (h *hub) publish(r revision) (slow int) {
	for _, s := range h.subs { //race:hub.subs
		if !s.offer(r) {
			slow++
		}
	}
	return slow
}

func (h *hub) poll(every time.Duration, stop <-chan struct{}) {
	for {
		select {
		case <-stop:
			return
		case <-time.After(every):
		}
		for _, r := range h.source(h.cursor) {
			h.publish(r)
			h.cursor = r.rev
		}
	}
}
