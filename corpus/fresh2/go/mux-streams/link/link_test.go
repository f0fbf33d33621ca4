package link

import (
	"testing"
	"time"

	"github.com/deadheat-corpus/muxstreams/mux"
)

func TestTwoLinks(t *testing.T) {
	m := mux.New()
	inbox := m.Accept(7)
	frames := []mux.Frame{{7, []byte("GET /")}, {9, []byte("?")}, {7, []byte("\r\n")}}
	for _, name := range []string{"wifi", "lte"} {
		go New(name, 3*time.Millisecond).Pump(frames, m.Deliver)
	}
	time.Sleep(20 * time.Millisecond)
	if len(inbox) > 4 {
		t.Fatal("too many frames")
	}
}
