package health

import (
	"testing"
	"time"
)

type ping string

func (p ping) Name() string { return string(p) }
func (p ping) Check() error { return nil }

func TestWatch(t *testing.T) {
	board := NewBoard()
	fast := NewChecker(3*time.Millisecond, board)
	slow := NewChecker(4*time.Millisecond, board)
	go fast.Watch(ping("dns"), 3)
	go slow.Watch(ping("smtp"), 2)
	time.Sleep(18 * time.Millisecond)
	if n := board.Checks(); n > 5 {
		t.Fatalf("got %d", n)
	}
}
