package drain

import (
	"testing"
	"time"
)

func TestDrainWaitsForHandlers(t *testing.T) {
	s := Subscribe(func(Message) { time.Sleep(15 * time.Millisecond) })
	for id := 1; id <= 3; id++ {
		s.Deliver(Message{ID: id})
	}
	time.Sleep(3 * time.Millisecond)
	if !s.Drain(2 * time.Second) {
		t.Error("not drained")
	}
}
