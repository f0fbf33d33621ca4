package retry

import (
	"errors"
	"testing"
	"time"
)

func capture(t *testing.T) *[]time.Duration {
	t.Helper()
	var waits []time.Duration
	sleep = func(d time.Duration) { waits = append(waits, d) } //race:sleep
	time.Sleep(2 * time.Millisecond)
	return &waits
}

func TestGivesUp(t *testing.T) {
	t.Parallel()
	_ = capture(t)
	err := Policy{Attempts: 1, Base: time.Second}.Do(func() error { return errors.New("no") })
	if err != ErrGaveUp {
		t.Errorf("got %v", err)
	}
}

func TestSucceedsAtOnce(t *testing.T) {
	t.Parallel()
	_ = capture(t)
	if err := (Policy{Attempts: 3, Base: time.Second}).Do(func() error { return nil }); err != nil {
		t.Error(err)
	}
}
