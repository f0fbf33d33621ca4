// Package stream reads a log in partitions.
package stream

import "sync"

// Partition is one part of a log.
type Partition struct {
	reading sync.Mutex
	writing sync.RWMutex
	offset  int64
	lag     int64
}

// Poll moves on by what was read.
func (p *Partition) Poll(n int64) int64 {
	p.reading.Lock()
	defer p.reading.Unlock()
	p.offset += n //race:Partition.offset
	p.lag -= n    //race:Partition.lag
	return n
}

// Produced takes note of what was written.
func (p *Partition) Produced(n int64) {
	p.writing.Lock()
	defer p.writing.Unlock()
	p.lag += n //race:Partition.lag
}

// Rewind goes back to an offset.
func (p *Partition) Rewind(to int64) {
	p.writing.Lock()
	p.offset = to //race:Partition.offset
	p.writing.Unlock()
}
