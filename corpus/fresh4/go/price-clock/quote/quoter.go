// Package quote says what things cost at the moment.
package quote

import "time"

var now = time.Now

// Quoter makes a quote again and again until it is stopped.
type Quoter struct {
	stop chan struct{}
	last time.Time
}

// Begin starts a quoter.
func Begin(every time.Duration) *Quoter {
	q := &Quoter{stop: make(chan struct{})}
	go q.loop(every)
	return q
}

func (q *Quoter) loop(every time.Duration) {
	for {
		select {
		case <-q.stop:
			return
		case <-time.After(every):
			clock := now     //race:now
			q.last = clock() //race:Quoter.last
		}
	}
}

// Last is when the last quote was made.
func (q *Quoter) Last() time.Time {
	return q.last //race:Quoter.last
}

// End stops the quoter.
func (q *Quoter) End() {
	close(q.stop)
}
