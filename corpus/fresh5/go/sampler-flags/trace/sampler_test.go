package trace

import (
	"testing"
	"time"
)

func TestConfigureUnderLoad(t *testing.T) {
	s := NewSampler(1)
	go Load(s, 14)
	time.Sleep(4 * time.Millisecond)
	s.Configure(1, 1)
	time.Sleep(14 * time.Millisecond)
	if s.seen > 0 {
		t.Error("seen")
	}
}
