package mux

import (
	"io"
	"testing"
	"time"
)

func TestCloseWhilePeerSends(t *testing.T) {
	r, w := io.Pipe()
	s := NewSession(r, 1)
	go func() {
		for i := 0; ; i++ {
			if writeFrame(w, frame{uint16(i % 2), []byte("ping")}) != nil {
				return
			}
			time.Sleep(100 * time.Microsecond)
		}
	}()
	time.Sleep(2 * time.Millisecond)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Millisecond)
}
