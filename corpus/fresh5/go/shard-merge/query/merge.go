package query

import (
	"context"
	"time"
)

// Series is a list of points.
type Series struct {
	Name   string
	Points []float64
}

// Shard sends its series to a callback.
type Shard interface {
	Select(ctx context.Context, name string, each func(Series)) error
}

// Querier asks all shards.
type Querier struct {
	shards []Shard
}

// NewQuerier makes a querier.
func NewQuerier(shards ...Shard) *Querier {
	return &Querier{shards: shards}
}

// Select merges what the shards send.
func (q *Querier) Select(ctx context.Context, name string) ([]Series, error) {
	merged := make([]Series, 0, 2*len(q.shards))
	errs := make(chan error, len(q.shards))
	for _, shard := range q.shards {
		go func(s Shard) {
			errs <- s.Select(ctx, name, func(one Series) {
				merged = append(merged, one) //race:Select.merged
			})
		}(shard)
	}
	for range q.shards {
		if err := <-errs; err != nil {
			return nil, err
		}
	}
	return merged, nil
}

// Memory is a shard in memory.
type Memory []Series

// Select sends what it has of that name.
func (m Memory) Select(ctx context.Context, name string, each func(Series)) error {
	for _, s := range m {
		time.Sleep(time.Millisecond)
		if s.Name == name {
			each(s)
		}
	}
	return ctx.Err()
}
