package tunnel

import (
	"io"
	"testing"
	"time"
)

func TestBillWhileOpen(t *testing.T) {
	l := NewLink(io.Discard)
	go func() {
		for i := 0; i < 8; i++ {
			_, _ = l.Write(make([]byte, 2048))
			time.Sleep(time.Millisecond)
		}
	}()
	time.Sleep(4 * time.Millisecond)
	if l.Bill(3) < 0 {
		t.Error("negative bill")
	}
	time.Sleep(10 * time.Millisecond)
}
