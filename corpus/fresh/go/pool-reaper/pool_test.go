package connpool

import (
	"testing"
	"time"
)

func newTestPool(t *testing.T) *Pool {
	t.Helper()
	return New(Options{
		Addr:     "db-1:3306",
		MinIdle:  3,
		MaxAge:   time.Minute,
		ReapTick: 10 * time.Millisecond,
	})
}

func TestCloseEndsIdleConnections(t *testing.T) {
	p := newTestPool(t)
	time.Sleep(25 * time.Millisecond)
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(25 * time.Millisecond)
}
