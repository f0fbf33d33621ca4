package usage

import (
	"testing"
	"time"
)

func TestCallAll(t *testing.T) {
	g := NewGateway("acme", 8)
	units := g.CallAll(work(2*time.Millisecond), work(2*time.Millisecond), work(3*time.Millisecond))
	t.Logf("%d units", units)
}
