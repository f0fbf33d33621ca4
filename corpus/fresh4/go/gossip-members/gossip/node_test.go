package gossip

import (
	"testing"
	"time"
)

func TestSlowest(t *testing.T) {
	n := new(Node)
	n.Join("b:1")
	n.Join("a:1")
	go n.Spread(4, 3*time.Millisecond)
	time.Sleep(4 * time.Millisecond)
	if Slowest(n) == nil {
		t.Fatal("nobody")
	}
	time.Sleep(8 * time.Millisecond)
}
