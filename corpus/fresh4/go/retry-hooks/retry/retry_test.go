package retry

import (
	"testing"
	"time"
)

func never() bool {
	time.Sleep(3 * time.Millisecond)
	return false
}

func shorten(t *testing.T) {
	t.Helper()
	backoff = time.Millisecond //race:backoff
	attempts = 9               //race:attempts
}

func TestBackground(t *testing.T) {
	out := Background(never)
	time.Sleep(8 * time.Millisecond)
	shorten(t)
	if <-out {
		t.Fatal("succeeded")
	}
}
