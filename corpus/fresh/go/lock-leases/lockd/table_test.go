package lockd

import (
	"testing"
	"time"
)

func TestKeepAlive(t *testing.T) {
	table := NewTable(12 * time.Millisecond)
	lease, err := table.Acquire("compaction", "node-3")
	if err != nil {
		t.Fatal(err)
	}
	go table.KeepAlive(6)
	for i := 0; i < 5; i++ {
		time.Sleep(3 * time.Millisecond)
		if !lease.Valid() {
			t.Log("lease was lost")
		}
	}
}
