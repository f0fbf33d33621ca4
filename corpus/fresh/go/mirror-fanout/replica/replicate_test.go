package replica

import (
	"testing"
	"time"
)

type memory struct {
	name    string
	latency time.Duration
}

func (m memory) Name() string { return m.name }

func (m memory) Write(_ string, value []byte) (int, error) {
	time.Sleep(m.latency)
	return len(value), nil
}

func TestReplicate(t *testing.T) {
	s := NewSet(
		memory{"fra-1", 2 * time.Millisecond},
		memory{"fra-2", 2 * time.Millisecond},
		memory{"ams-1", 3 * time.Millisecond},
	)
	n, err := s.Replicate("orders/17", []byte("paid"))
	if err != nil {
		t.Logf("%d: %v", n, err)
	}
}
