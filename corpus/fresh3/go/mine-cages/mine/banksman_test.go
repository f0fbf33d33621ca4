package mine

import (
	"testing"
	"time"
)

func arrive(s *Shaft, gap time.Duration, miners ...string) {
	for _, m := range miners {
		time.Sleep(gap)
		s.Queue(m)
	}
	time.Sleep(10 * time.Millisecond)
}

func TestEarlyShift(t *testing.T) {
	shaft := NewShaft(2)
	go arrive(shaft, 3*time.Millisecond, "Kalle", "Hein", "Pitt")
	b := &Banksman{Shaft: shaft, Look: 5 * time.Millisecond}
	if aboard := b.Ring(3); len(aboard) > 2 {
		t.Fatal(aboard)
	}
}
