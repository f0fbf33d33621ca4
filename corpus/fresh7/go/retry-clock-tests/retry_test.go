package retry

import (
	"errors"
	"testing"
	"time"
)

func stubSleep(t *testing.T) {
	t.Helper()
	sleep = func(time.Duration) {} //race:sleep
	time.Sleep(2 * time.Millisecond)
}

func TestGivesUp(t *testing.T) {
	t.Parallel()
	stubSleep(t)
	err := Policy{Attempts: 1, Base: time.Second}.Do(func() error { return errors.New("no") })
	if err != ErrGaveUp {
		t.Errorf("got %v", err)
	}
}

func TestSucceedsAtOnce(t *testing.T) {
	t.Parallel()
	stubSleep(t)
	if err := (Policy{Attempts: 3, Base: time.Second}).Do(func() error { return nil }); err != nil {
		t.Error(err)
	}
}
