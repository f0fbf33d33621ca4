package sched

import (
	"testing"
	"time"
)

func TestJobsGather(t *testing.T) {
	s := New(2*time.Millisecond, 100)
	for i := 0; i < 3; i++ {
		s.After(time.Hour, "tidy up", func() {})
		time.Sleep(3 * time.Millisecond)
	}
	s.Stop()
}
