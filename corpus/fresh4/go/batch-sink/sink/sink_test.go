package sink

import (
	"testing"
	"time"
)

func TestWriteTwice(t *testing.T) {
	s := New(5 * time.Millisecond)
	s.Write(1, 2, 3)
	time.Sleep(12 * time.Millisecond)
	s.Write(4, 5)
	if got := <-s.total; got < 0 {
		t.Fatal(got)
	}
}
