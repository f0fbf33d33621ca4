package session

import (
	"testing"
	"time"
)

func TestSizeWhileLoggingIn(t *testing.T) {
	table := NewTable()
	go func() {
		for _, id := range []ID{"a", "b", "c"} {
			time.Sleep(5 * time.Millisecond)
			table.Login(id, "user")
		}
		table.Logout("a")
		time.Sleep(20 * time.Millisecond)
	}()
	time.Sleep(8 * time.Millisecond)
	if table.Size() > 3 {
		t.Error("too many")
	}
	if table.Newest() == "z" {
		t.Error("wrong one")
	}
	time.Sleep(12 * time.Millisecond)
}
