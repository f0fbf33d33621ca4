package pool

import (
	"testing"
	"time"
)

func TestShutdownWithIdleConnections(t *testing.T) {
	p := New(time.Millisecond)
	for i := 0; i < 4; i++ {
		p.Put(p.Get("db-1"))
	}
	time.Sleep(3 * time.Millisecond)
	p.Shutdown()
}
