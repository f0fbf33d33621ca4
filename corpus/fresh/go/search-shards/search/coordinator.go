// Package search asks all shards of an index and merges what they say.
package search

import (
	"errors"
	"strings"
	"sync"
	"time"
)

var errTimeout = errors.New("shard did not answer")

// Shard is a part of the index.
type Shard struct {
	Name      string
	Documents map[string]string
	Down      bool
}

func (s *Shard) query(word string) ([]Hit, error) {
	time.Sleep(2 * time.Millisecond)
	if s.Down {
		return nil, errTimeout
	}
	var hits []Hit
	for id, text := range s.Documents {
		if n := strings.Count(text, word); n > 0 {
			hits = append(hits, Hit{ID: s.Name + "/" + id, Score: float64(n)})
		}
	}
	return hits, nil
}

// Coordinator fans a query out.
type Coordinator struct {
	shards []*Shard
}

// NewCoordinator returns a coordinator in front of shards.
func NewCoordinator(shards ...*Shard) *Coordinator {
	return &Coordinator{shards: shards}
}

// Search asks every shard at once.
func (c *Coordinator) Search(word string) *Response {
	resp := &Response{}
	begin := time.Now()
	var wg sync.WaitGroup
	for _, shard := range c.shards {
		wg.Add(1)
		go func(shard *Shard) {
			defer wg.Done()
			c.collect(resp, shard, word)
		}(shard)
	}
	wg.Wait()
	resp.sortHits()
	resp.Took = time.Since(begin).Milliseconds()
	return resp
}

func (c *Coordinator) collect(resp *Response, shard *Shard, word string) {
	hits, err := shard.query(word)
	if err != nil {
		resp.addFailure(shard.Name, err)
		return
	}
	for _, h := range hits {
		resp.addHit(h)
	}
}
