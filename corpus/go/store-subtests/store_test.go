package store

import (
	"testing"
	"time"
)

func TestTake(t *testing.T) {
	fixture := &Store{stock: 10}
	for name, n := range map[string]int{"one": 1, "two": 2} {
		n := n
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			time.Sleep(10 * time.Millisecond)
			if !fixture.Take(n) {
				t.Error("sold out")
			}
		})
	}
}
