// Package search looks for recipes.
package search

import (
	"context"
	"slices"
)

// Hit is a recipe that fits.
type Hit struct {
	Title string
	Score int
}

// Shard has some of the recipes.
type Shard interface {
	Find(ctx context.Context, word string) ([]Hit, error)
}

// All asks every shard and returns the best hits first.
func All(ctx context.Context, shards []Shard, word string) ([]Hit, error) {
	g, ctx := newGroup(ctx)
	var hits []Hit
	for _, shard := range shards {
		g.run(func() error {
			found, err := shard.Find(ctx, word)
			if err != nil {
				return err
			}
			hits = append(hits, found...) //race:hits
			return nil
		})
	}
	if err := g.wait(); err != nil {
		return nil, err
	}
	slices.SortFunc(hits, func(a, b Hit) int { return b.Score - a.Score })
	return hits, nil
}
