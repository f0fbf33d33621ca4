package mgmt

import (
	"strings"
	"testing"
	"time"

	"example.com/bgp/speaker/fsm"
)

func TestNeighboursShowsEstablished(t *testing.T) {
	s := fsm.NewSession("192.0.2.1", 64512)
	defer s.Close()
	c := NewConsole(s)
	s.Post(fsm.Start, fsm.TCPUp, fsm.OpenReceived, fsm.KeepaliveReceived)

	deadline := time.Now().Add(2 * time.Second)
	for !strings.Contains(c.Neighbours(), "Established") {
		if time.Now().After(deadline) {
			t.Fatal(c.Neighbours())
		}
		time.Sleep(time.Millisecond)
	}
}
