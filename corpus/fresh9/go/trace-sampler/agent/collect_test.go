package agent

import (
	"context"
	"testing"
	"time"
)

func TestCollectHasEverything(t *testing.T) {
	s := Collect(context.Background(), Goroutines)
	if !s.Complete || s.Goroutines == 0 {
		t.Errorf("%+v", s)
	}
}

func TestCollectStopsAtDeadline(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Millisecond)
	defer cancel()
	s := Collect(ctx, Slow(8*time.Millisecond, func(*Snapshot) {}))
	if s.Complete { //race:Snapshot.Complete
		t.Error("it should have stopped")
	}
	time.Sleep(15 * time.Millisecond)
}
