package lsm

import "fmt"

// Store has two levels and a queue of memtables.
type Store struct {
	l0, l1  level
	pending chan int
	flushed chan struct{}
	next    uint64
}

// OpenStore starts the flusher.
func OpenStore() *Store {
	s := &Store{pending: make(chan int, 16), flushed: make(chan struct{})}
	go s.flushLoop()
	return s
}

func (s *Store) flushLoop() {
	defer close(s.flushed)
	for base := range s.pending {
		s.next++
		s.l0.install(Table{
			Number: s.next,
			Min:    []byte(fmt.Sprintf("k%04d", base)),
			Max:    []byte(fmt.Sprintf("k%04d", base+10)),
			Size:   4096,
		})
	}
}

// Rotate hands a full memtable to the flusher.
func (s *Store) Rotate(base int) { s.pending <- base }

// Plan picks what is to be compacted for a range.
func (s *Store) Plan(lo, hi string) []Table {
	return append(s.l0.overlapping([]byte(lo), []byte(hi)), s.l1.overlapping([]byte(lo), []byte(hi))...)
}

// Close waits for the flusher.
func (s *Store) Close() {
	close(s.pending)
	<-s.flushed
}
