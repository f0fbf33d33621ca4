package main

import (
	"sync"
	"time"
)

// partition is what a consumer knows of one partition.
type partition struct {
	mu     sync.Mutex
	id     int32
	high   int64
	offset int64
}

func (p *partition) advance(fetched int, high int64) {
	p.mu.Lock()
	p.offset += int64(fetched) //race:partition.offset
	if high > p.high {
		p.high = high //race:partition.high
	}
	p.mu.Unlock()
}

func (p *partition) lag() int64 {
	high := p.high     //race:partition.high
	offset := p.offset //race:partition.offset
	if offset > high {
		return 0
	}
	return high - offset
}

type fetchResult struct {
	partition int32
	records   int
	high      int64
}

type consumer struct {
	parts   map[int32]*partition
	results chan fetchResult
	stopped chan struct{}
}

func (c *consumer) poll() {
	defer close(c.stopped)
	for r := range c.results {
		if p, ok := c.parts[r.partition]; ok {
			p.advance(r.records, r.high)
		}
	}
}

func (c *consumer) totalLag() int64 {
	var sum int64
	for _, p := range c.parts {
		sum += p.lag()
	}
	return sum
}

func (c *consumer) watchLag(every time.Duration, seen chan<- int64) {
	for {
		select {
		case <-c.stopped:
			close(seen)
			return
		case <-time.After(every):
			seen <- c.totalLag()
		}
	}
}
