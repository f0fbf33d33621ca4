package ldapsync

import (
	"testing"
	"time"
)

func TestNewWithOptions(t *testing.T) {
	s := New(Every(2*time.Millisecond), Base("ou=people,dc=example"))
	time.Sleep(15 * time.Millisecond)
	s.Close()
	if s == nil {
		t.Fatal("no syncer")
	}
}
