package main

import "time"

type quote struct {
	venue string
	cents int
}

// source asks one venue.
type source func(symbol string) quote

func exchange(venue string, delay time.Duration) source {
	return func(symbol string) quote {
		time.Sleep(delay)
		return quote{venue, 20_000 + len(symbol)}
	}
}

// quotes has a place for each source.
type quotes struct {
	symbol string
	best   *quote
}

func (q *quotes) offer(o quote) {
	if q.best == nil || o.cents <= q.best.cents { //race:quotes.best
		q.best = &o //race:quotes.best
	}
}

func (q *quotes) total() int {
	if q.best == nil { //race:quotes.best
		return 1
	}
	return q.best.cents //behind:quote.cents //race:quotes.best
}

type board struct {
	sources  []source
	deadline time.Duration
}

// snapshot asks the sources in turn on the side and gives up on them at the deadline.
func (b *board) snapshot(symbol string) *quotes {
	q := &quotes{symbol: symbol}
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		for _, ask := range b.sources {
			q.offer(ask(symbol)) //behind:quote.cents
		}
	}()
	select {
	case <-finished:
	case <-time.After(b.deadline):
	}
	return q
}
