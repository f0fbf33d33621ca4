// Package sink writes rows to a table.
package sink

import "time"

// Sink takes batches of rows.
type Sink struct {
	free  freeList
	delay time.Duration
	total chan int
}

// New returns a sink that writes after a delay.
func New(delay time.Duration) *Sink {
	return &Sink{free: make(freeList, 4), delay: delay, total: make(chan int, 16)}
}

// Write copies rows into a buffer and lets a writer send it.
func (s *Sink) Write(rows ...int) {
	b := s.free.get()
	fill(b, rows)
	go s.send(b)
	s.free.put(b)
}

func fill(b *rowBuf, rows []int) {
	b.count = copy(b.rows[:], rows) //race:Sink.rows
}

func (s *Sink) send(b *rowBuf) {
	time.Sleep(s.delay)
	sum := 0
	for i := range b.rows {
		sum += b.rows[i] //race:Sink.rows
	}
	time.Sleep(4 * s.delay)
	s.total <- sum
}
