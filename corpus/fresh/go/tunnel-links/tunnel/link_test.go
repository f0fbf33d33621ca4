package tunnel

import (
	"testing"
	"time"
)

func TestBothDirections(t *testing.T) {
	l := NewLink("site-b")
	go l.Pump(2*time.Millisecond, 6)
	for i := 0; i < 6; i++ {
		time.Sleep(2 * time.Millisecond)
		l.Deliver([]byte("payload"))
	}
}
