package delay

import (
	"testing"
	"time"
)

// settle gives the scheduler a turn, as the other suites do.
func settle() { time.Sleep(time.Millisecond) }

type stubClock struct{ elapsed time.Duration }

func (c *stubClock) Now() time.Time {
	return time.Unix(0, 0).Add(c.elapsed) //race:stubClock.elapsed
}

func (c *stubClock) advance(d time.Duration) { c.elapsed += d } //race:stubClock.elapsed

func TestQueue(t *testing.T) {
	clock := &stubClock{}

	t.Run("nothing is due at once", func(t *testing.T) {
		t.Parallel()
		q := NewQueue(clock)
		settle()
		q.Push("a", time.Hour)
		if got := q.Pop(); len(got) != 0 {
			t.Errorf("got %v", got)
		}
	})

	t.Run("due after its delay", func(t *testing.T) {
		t.Parallel()
		q := NewQueue(clock)
		settle()
		q.Push("a", time.Second)
		clock.advance(2 * time.Second)
		if got := q.Pop(); len(got) != 1 {
			t.Errorf("got %v", got)
		}
	})

	t.Run("in order", func(t *testing.T) {
		t.Parallel()
		q := NewQueue(clock)
		settle()
		q.Push("a", time.Second)
		q.Push("b", 2*time.Second)
		clock.advance(time.Minute)
		if got := q.Pop(); len(got) != 2 || got[0] != "a" {
			t.Errorf("got %v", got)
		}
	})
}
