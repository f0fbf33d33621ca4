package lsm

import (
	"testing"
	"time"
)

func TestPlanPicksOverlappingTables(t *testing.T) {
	s := OpenStore()
	for base := 0; base < 60; base += 10 {
		s.Rotate(base)
	}
	time.Sleep(5 * time.Millisecond)
	if got := s.Plan("k0000", "k0025"); len(got) == 0 {
		t.Error("no tables overlap")
	}
	s.Close()
	if got := s.Plan("k0000", "k9999"); len(got) != 6 {
		t.Errorf("%d tables", len(got))
	}
}
