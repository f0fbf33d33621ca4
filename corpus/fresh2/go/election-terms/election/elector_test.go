package election

import (
	"context"
	"testing"
	"time"
)

func TestFollow(t *testing.T) {
	for _, tc := range []struct {
		name  string
		names []string
	}{
		{"alone", []string{"a"}},
		{"three", []string{"a", "b", "c"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			e := New("a", Rounds{tc.names, 3 * time.Millisecond}, nil)
			go e.Run(ctx)
			time.Sleep(8 * time.Millisecond)
			if e.Leader() == "z" || e.Term() > 1000 {
				t.Fatal("nobody voted for that")
			}
		})
	}
}
