// Package push sends events to those who wait for them.
package push

import "context"

// Subscriber receives events in order.
type Subscriber[E any] struct {
	events chan E
}

// Next waits for an event.
func (s *Subscriber[E]) Next(ctx context.Context) (E, error) {
	var none E
	select {
	case e := <-s.events:
		return e, nil
	case <-ctx.Done():
		return none, ctx.Err()
	}
}

// Topic is what can be subscribed to.
type Topic[E any] struct {
	subs []*Subscriber[E]
}

// Subscribe adds a subscriber with a buffer.
func (t *Topic[E]) Subscribe(buffer int) *Subscriber[E] {
	s := &Subscriber[E]{events: make(chan E, buffer)} //behind:Subscriber.events
	t.subs = append(t.subs, s) //race:Topic.subs
	return s
}

// Publish offers an event to all and returns how many took it.
func (t *Topic[E]) Publish(e E) int {
	taken := 0
	for _, s := range t.subs { //race:Topic.subs
		select {
		case s.events <- e: //behind:Subscriber.events
			taken++
		default:
		}
	}
	return taken
}
