package redial

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"
)

var errRefused = errors.New("refused")

func TestDialsAgain(t *testing.T) {
	var dials atomic.Int32
	r := Start(func(ctx context.Context) error {
		dials.Add(1)
		return errRefused
	})
	t.Cleanup(func() {
		time.AfterFunc(5*time.Millisecond, r.Stop)
	})
	time.Sleep(2 * time.Millisecond)
	if dials.Load() < 2 {
		t.Error("dialled once only")
	}
}

func TestPauseHasALimit(t *testing.T) {
	old := maxPause
	maxPause = 300 * time.Microsecond //race:maxPause
	defer func() { maxPause = old }() //race:maxPause
	if got := next(time.Second); got != 300*time.Microsecond {
		t.Errorf("pause of %s", got)
	}
	time.Sleep(2 * time.Millisecond)
}
