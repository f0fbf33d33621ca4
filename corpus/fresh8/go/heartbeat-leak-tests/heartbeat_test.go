package node

import (
	"testing"
	"time"
)

func TestSendsHeartbeats(t *testing.T) {
	h := NewHeartbeat(200 * time.Microsecond)
	deadline := time.Now().Add(time.Second)
	for h.Sent() < 2 {
		if time.Now().After(deadline) {
			t.Fatal("no heartbeat")
		}
		time.Sleep(100 * time.Microsecond)
	}
}

func TestUsesTheConfiguredName(t *testing.T) {
	old := Name
	defer func() { Name = old }() //race:Name
	Name = "edge-7"               //race:Name
	time.Sleep(2 * time.Millisecond)
	if len(Name) != 6 {
		t.Errorf("got %q", Name)
	}
}
