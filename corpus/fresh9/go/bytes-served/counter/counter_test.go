package counter

import (
	"strings"
	"testing"
	"time"
)

func TestHuman(t *testing.T) {
	for n, want := range map[uint64]string{0: "0 B", 2048: "2 KiB", 3 << 20: "3 MiB"} {
		if got := human(n); got != want {
			t.Errorf("%d: got %q, want %q", n, got, want)
		}
	}
}

func TestStringWhileServing(t *testing.T) {
	tr := &Traffic{}
	stop := make(chan struct{})
	go func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
				tr.Served(512 + i)
				time.Sleep(50 * time.Microsecond)
			}
		}
	}()
	for i := 0; i < 5; i++ {
		time.Sleep(2 * time.Millisecond)
		if got := tr.String(); !strings.Contains(got, "requests") {
			t.Error(got)
		}
	}
	close(stop)
}
