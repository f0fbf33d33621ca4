package scatter

import (
	"context"
	"time"
)

// Answer is what a shard had to say.
type Answer struct {
	Rows  int
	Shard string
}

type pending struct {
	rows  int
	trace string
	ready chan struct{}
}

// Shard holds a part of the data.
type Shard struct {
	Name  string
	Rows  int
	Delay time.Duration
}

func (s Shard) search(into *pending) {
	time.Sleep(s.Delay)
	into.rows = s.Rows             //race:pending.rows
	into.trace = "shard " + s.Name //race:pending.trace
	close(into.ready)
}

// Query asks one shard and takes what is there when the context ends.
func Query(ctx context.Context, s Shard) Answer {
	p := &pending{ready: make(chan struct{})}
	go s.search(p)
	select {
	case <-p.ready:
		return Answer{p.rows, p.trace}
	case <-ctx.Done():
		return p.partial()
	}
}

func (p *pending) partial() Answer {
	var a Answer
	a.Rows = p.rows   //race:pending.rows
	a.Shard = p.trace //race:pending.trace
	return a
}
