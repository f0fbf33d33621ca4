package limit

import (
	"net"
	"testing"
	"time"
)

func TestFull(t *testing.T) {
	l := New(4)
	left := make(chan struct{})
	go func() {
		defer close(left)
		for i := 0; i < 4; i++ {
			here, _ := net.Pipe()
			c, ok := l.Wrap(here)
			if !ok {
				return
			}
			time.Sleep(500 * time.Microsecond)
			c.Close()
		}
	}()
	for i := 0; i < 5; i++ {
		if l.Full() {
			t.Error("full with one connection")
		}
		time.Sleep(500 * time.Microsecond)
	}
	<-left
}
