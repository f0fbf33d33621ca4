package sampler

import (
	"fmt"
	"testing"
)

func peers(n int) []Peer {
	var out []Peer
	for i := 0; i < n; i++ {
		id := ID(i)*0x9E3779B97F4A7C15 + 7
		out = append(out, Peer{ID: id, Addr: fmt.Sprintf("10.0.0.%d:4001", i)})
	}
	return out
}

func TestLookupAllReturnsKPeersEach(t *testing.T) {
	table := NewTable(peers(32))
	keys := []ID{1 << 3, 1 << 20, 1 << 41, 1 << 60}
	for _, r := range LookupAll(table, keys, 3) {
		if len(r.Peers) != 3 {
			t.Errorf("%x: %d peers", r.Key, len(r.Peers))
		}
	}
}
