package tree

import (
	"context"
	"testing"
	"time"
)

func TestPrune(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	root := Grow(ctx, "root", 4*time.Millisecond)
	root.Branch(ctx, "leaf", 4*time.Millisecond)
	time.Sleep(6 * time.Millisecond)
	root.Prune()
	time.Sleep(8 * time.Millisecond)
}
