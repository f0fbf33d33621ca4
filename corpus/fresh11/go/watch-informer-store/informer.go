// Package informer follows objects of a cluster.
package informer

// Event is a change of an object.
type Event struct {
	Kind, Name string
}

// Handler is told of events.
type Handler func(Event)

// Informer calls its handler for every event of a kind.
type Informer struct {
	kind    string
	handler Handler
	done    chan struct{}
}

// New follows the events of a kind; without a handler they are dropped.
func New(kind string, events <-chan Event, h Handler) *Informer {
	inf := &Informer{kind: kind, done: make(chan struct{})}
	go inf.loop(events)
	if h == nil {
		h = func(Event) {}
	}
	inf.handler = h //race:Informer.handler
	return inf
}

func (inf *Informer) loop(events <-chan Event) {
	defer close(inf.done)
	for e := range events {
		if e.Kind != inf.kind {
			continue
		}
		if h := inf.handler; h != nil { //race:Informer.handler
			h(e)
		}
	}
}

// Wait returns when there are no more events.
func (inf *Informer) Wait() { <-inf.done }
