package wal

import "sync"

type segment struct {
	seq  int
	size int
	data []byte
}

// Log is a write-ahead log in segments.
type Log struct {
	capacity int

	mu     sync.Mutex
	active *segment
	sealed []*segment
}

// Open starts a log with one empty segment.
func Open(capacity int) *Log {
	return &Log{capacity: capacity, active: newSegment(1, capacity)}
}

func newSegment(seq, capacity int) *segment {
	return &segment{seq: seq, data: make([]byte, 0, capacity)} //race:segment.data
}

// Append writes a record to the active segment. There is one writer.
func (l *Log) Append(rec []byte) {
	seg := l.active                     //race:Log.active
	seg.data = append(seg.data, rec...) //race:segment.data
}

// Rotate seals the active segment and starts the next one.
func (l *Log) Rotate() {
	l.mu.Lock()
	defer l.mu.Unlock()
	old := l.active
	l.sealed = append(l.sealed, old)
	l.active = newSegment(old.seq+1, l.capacity) //race:Log.active
}

// Segments is the number of sealed segments.
func (l *Log) Segments() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.sealed)
}
