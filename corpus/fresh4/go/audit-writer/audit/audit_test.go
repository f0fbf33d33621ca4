package audit

import (
	"testing"
	"time"
)

func TestAudit(t *testing.T) {
	a := New()
	later(3*time.Millisecond, func() { a.Login("ann") })
	later(8*time.Millisecond, func() { a.Logout("ben") })
	later(13*time.Millisecond, func() { a.Direct("alarm") })
	time.Sleep(20 * time.Millisecond)
	if a.Size() > 1000 {
		t.Fatal("much")
	}
}
