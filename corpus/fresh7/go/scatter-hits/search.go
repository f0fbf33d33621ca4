package main

import (
	"context"
	"fmt"
	"sort"
	"sync"
	"time"
)

type hit struct {
	doc   string
	score float64
}

type searchShard struct {
	id   int
	docs map[string]float64
	down bool
}

func (s *searchShard) query(ctx context.Context, term string) ([]hit, error) {
	time.Sleep(time.Millisecond)
	if s.down {
		return nil, fmt.Errorf("shard %d is down", s.id)
	}
	var out []hit
	for d, score := range s.docs {
		out = append(out, hit{doc: d + "/" + term, score: score})
	}
	return out, ctx.Err()
}

type response struct {
	hits   []hit
	failed []error
}

func forEach[T any](items []T, f func(T)) {
	var wg sync.WaitGroup
	wg.Add(len(items))
	for _, item := range items {
		go func(item T) {
			defer wg.Done()
			f(item)
		}(item)
	}
	wg.Wait()
}

func search(ctx context.Context, shards []*searchShard, term string) response {
	var hits []hit
	var failed []error
	forEach(shards, func(s *searchShard) {
		found, err := s.query(ctx, term)
		if err != nil {
			failed = append(failed, err) //race:failed
			return
		}
		hits = append(hits, found...) //race:hits
	})
	sort.Slice(hits, func(i, j int) bool { return hits[i].score > hits[j].score })
	return response{hits: hits, failed: failed}
}

func main() {
	r := search(context.Background(), []*searchShard{
		{id: 0, docs: map[string]float64{"a": 1}},
		{id: 1, docs: map[string]float64{"b": 2}},
		{id: 2, down: true},
		{id: 3, down: true},
	}, "race")
	fmt.Println(len(r.hits) > 0, len(r.failed) > 0)
}
