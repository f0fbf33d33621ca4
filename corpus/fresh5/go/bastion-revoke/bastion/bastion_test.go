package bastion

import (
	"testing"
	"time"
)

func TestRevokeWhileServing(t *testing.T) {
	b := New()
	accept := make(chan string, 16)
	go b.ServeFrom(accept)
	for _, user := range []string{"ada", "bob", "ada", "cyd"} {
		accept <- user
	}
	time.Sleep(15 * time.Millisecond)
	if n := b.Revoke("ada"); n > 2 {
		t.Errorf("revoked %d sessions", n)
	}
	time.Sleep(5 * time.Millisecond)
	close(accept)
}
