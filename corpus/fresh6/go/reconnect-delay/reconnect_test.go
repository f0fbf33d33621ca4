package stream

import (
	"testing"
	"time"
)

func alwaysDropped() error {
	time.Sleep(time.Millisecond)
	return errDropped
}

func TestReconnectBacksOff(t *testing.T) {
	s := Subscribe(alwaysDropped)
	defer s.Close()

	old := baseDelay
	baseDelay = 100 * time.Microsecond //race:baseDelay
	defer func() {
		baseDelay = old //race:baseDelay
	}()

	seen := 0
	deadline := time.After(300 * time.Millisecond)
	for seen < 4 {
		select {
		case <-s.attempts:
			seen++
		case <-deadline:
			t.Fatalf("only %d attempts", seen)
		}
	}
}
