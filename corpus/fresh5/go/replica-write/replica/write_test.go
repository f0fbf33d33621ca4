package replica

import (
	"testing"
	"time"
)

func TestWriteWithSlowReplica(t *testing.T) {
	nodes := []Node{
		{Name: "a", Lag: time.Millisecond},
		{Name: "b", Lag: time.Millisecond},
		{Name: "c", Lag: 6 * time.Millisecond, Full: true},
	}
	if _, err := Write(nodes, "user/7"); err != nil {
		t.Error(err)
	}
	time.Sleep(15 * time.Millisecond)
}
