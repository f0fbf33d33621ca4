package ship

import (
	"testing"
	"time"
)

type remote time.Duration

func (r remote) Collect(lines []string) error {
	time.Sleep(time.Duration(r))
	return nil
}

func TestShipAll(t *testing.T) {
	s := New(remote(12 * time.Millisecond))
	s.Ship([]string{"up", "ready", "GET /", "GET /cart", "down"}, 2)
	if n := s.Close(); n > 5 {
		t.Fatalf("sent %d", n)
	}
}
