package prof

import (
	"testing"
	"time"
)

func TestFlushWhileSampling(t *testing.T) {
	s := NewSampler(Total{}, 64)
	go s.Observe(40, 500*time.Microsecond)
	for i := 0; i < 4; i++ {
		time.Sleep(4 * time.Millisecond)
		if s.Flush() < 0 {
			t.Error("negative time")
		}
	}
	time.Sleep(20 * time.Millisecond)
}
