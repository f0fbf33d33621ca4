package wire

import (
	"testing"
	"time"

	"github.com/deadheat-corpus/framepool/pool"
)

func TestHandleWithTap(t *testing.T) {
	frames := pool.New(func() *Frame { return &Frame{} })
	r := NewReader(frames, NewSlowTap(func(kind byte, size int) {}))
	seen := 0
	for _, raw := range []string{"aHELLO", "bWORLD"} {
		r.Handle([]byte(raw), func(body []byte) { seen += len(body) })
		time.Sleep(2 * time.Millisecond)
	}
	time.Sleep(12 * time.Millisecond)
	if seen != 10 {
		t.Fatalf("got %d", seen)
	}
}
