package hub

import (
	"testing"
	"time"
)

func TestLeaveWhileBroadcasting(t *testing.T) {
	h := NewHub()
	c := h.join("ada")
	go func() {
		h.Broadcast([]byte("hello"), 4*time.Millisecond)
		time.Sleep(40 * time.Millisecond)
	}()
	time.Sleep(15 * time.Millisecond)
	h.leave(c)
	time.Sleep(5 * time.Millisecond)
}
