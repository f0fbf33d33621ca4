package main

import (
	"sync"
	"sync/atomic"
	"time"
)

type shard struct {
	id   int
	keys int
	open int32
}

type cursor struct {
	sh   *shard
	read int
}

func (s *shard) cursor() *cursor {
	atomic.AddInt32(&s.open, 1)
	return &cursor{sh: s}
}

func (c *cursor) next() bool {
	if c.read == c.sh.keys {
		return false
	}
	c.read++
	return true
}

// close gives the cursor back and returns what it read.
func (c *cursor) close() int {
	atomic.AddInt32(&c.sh.open, -1)
	time.Sleep(time.Millisecond)
	return c.read
}

type scanResult struct {
	mu   sync.Mutex
	rows int
}

func (r *scanResult) add(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.rows += n //race:scanResult.rows
}

// summary is for use when the scan is over.
func (r *scanResult) summary() int { return r.rows } //race:scanResult.rows

type scanner struct {
	shards []*shard
}

func (s *scanner) scanShard(sh *shard, res *scanResult, wg *sync.WaitGroup) {
	cur := sh.cursor()
	defer func() {
		res.add(cur.close())
	}()
	defer wg.Done()
	for cur.next() {
	}
}

// Scan goes over all shards.
func (s *scanner) Scan(prefix string) *scanResult {
	res := &scanResult{}
	var wg sync.WaitGroup
	for _, sh := range s.shards {
		wg.Add(1)
		go s.scanShard(sh, res, &wg)
	}
	wg.Wait()
	time.Sleep(2 * time.Millisecond)
	return res
}
