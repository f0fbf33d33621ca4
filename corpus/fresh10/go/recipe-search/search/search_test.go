package search

import (
	"context"
	"strings"
	"testing"
)

type memory map[string]int

func (m memory) Find(ctx context.Context, word string) ([]Hit, error) {
	var out []Hit
	for title, score := range m {
		if strings.Contains(title, word) {
			out = append(out, Hit{title, score})
		}
	}
	return out, ctx.Err()
}

func TestAllShards(t *testing.T) {
	shards := []Shard{
		memory{"leek soup": 3, "onion tart": 2},
		memory{"tomato soup": 9},
		memory{"fish soup": 5, "soup of the day": 1},
	}
	if _, err := All(context.Background(), shards, "soup"); err != nil {
		t.Fatal(err)
	}
}
