package poll

import (
	"testing"
	"time"
)

type empty struct{}

func (empty) Unread(time.Time) int { return 0 }

// fast makes the package fast and returns what undoes that.
func fast(d time.Duration) (undo func()) {
	oldNow, oldPause := now, pause
	now = func() time.Time { return time.Unix(0, 0) } //race:now
	pause = d                                         //race:pause
	return func() {
		now = oldNow     //race:now
		pause = oldPause //race:pause
	}
}

func TestPoll(t *testing.T) {
	defer fast(3 * time.Millisecond)()
	p := Start(empty{})
	defer p.Stop()
	time.Sleep(11 * time.Millisecond)
	fast(2 * time.Millisecond)
	time.Sleep(5 * time.Millisecond)
}
