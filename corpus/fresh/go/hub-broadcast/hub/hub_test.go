package hub

import (
	"testing"
	"time"
)

func TestLeaveDuringBroadcast(t *testing.T) {
	h := New()
	if _, err := h.Join("alice"); err != nil {
		t.Fatal(err)
	}
	done := make(chan int, 1)
	go func() { done <- h.Broadcast([]byte("maintenance at noon")) }()
	time.Sleep(2 * time.Millisecond)
	h.Leave("alice")
	if n := <-done; n > 1 {
		t.Fatalf("sent to %d", n)
	}
}
