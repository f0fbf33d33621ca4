package sim

import (
	"testing"
	"time"
)

func TestTwoPhases(t *testing.T) {
	p := New()
	p.Begin(1, 10*time.Millisecond)
	go p.Observe("warm-up")
	time.Sleep(20 * time.Millisecond)
	p.Begin(1, 10*time.Millisecond)
	go p.Observe("steady state")
	time.Sleep(20 * time.Millisecond)
	if len(p.ended) == 0 {
		t.Error("no phase has ended")
	}
}
