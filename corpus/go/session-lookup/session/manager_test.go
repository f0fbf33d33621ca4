package session_test

import (
	"testing"
	"time"

	"github.com/deadheat-corpus/sessiond/session"
)

func TestLookupWhileOpening(t *testing.T) {
	m := session.NewManager()
	m.Open("s-1", "alice")
	go m.Open("s-2", "bob")
	time.Sleep(20 * time.Millisecond)
	if _, ok := m.Lookup("s-1"); !ok {
		t.Error("session s-1 is gone")
	}
}
