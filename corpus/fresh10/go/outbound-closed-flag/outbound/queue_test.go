package outbound

import (
	"errors"
	"testing"
	"time"
)

func TestCloseWhileSending(t *testing.T) {
	q := NewQueue(100)
	sent := make(chan error, 1)
	go func() {
		for q.Open() {
			if err := q.Send([]byte("tick")); errors.Is(err, ErrClosed) {
				sent <- nil
				return
			}
			time.Sleep(100 * time.Microsecond)
		}
		sent <- nil
	}()
	time.Sleep(2 * time.Millisecond)
	q.Close()
	q.Close()
	if err := <-sent; err != nil {
		t.Error(err)
	}
	n := 0
	for range q.Items() {
		n++
	}
	if n == 0 {
		t.Error("nothing was queued")
	}
}
