package main

import (
	"sync/atomic"
	"time"
)

type poolStats struct {
	inUse int64
	waits int64
}

type connPool struct {
	slots chan struct{}
	stats poolStats
}

func newConnPool(size int) *connPool {
	return &connPool{slots: make(chan struct{}, size)}
}

func (p *connPool) acquire() {
	select {
	case p.slots <- struct{}{}:
	default:
		atomic.AddInt64(&p.stats.waits, 1) //race:poolStats.waits
		p.slots <- struct{}{}
	}
	atomic.AddInt64(&p.stats.inUse, 1) //race:poolStats.inUse
}

func (p *connPool) release() {
	atomic.AddInt64(&p.stats.inUse, -1) //race:poolStats.inUse
	<-p.slots
}

func (p *connPool) query(cost time.Duration) {
	p.acquire()
	defer p.release()
	time.Sleep(cost)
}
