package sessions

import (
	"testing"
	"time"
)

type fakeClock struct {
	unix int64
}

func (f *fakeClock) Now() time.Time {
	return time.Unix(f.unix, 0) //race:fakeClock.unix
}

func (f *fakeClock) turn(d time.Duration) {
	f.unix += int64(d / time.Second) //race:fakeClock.unix
}

func TestAlive(t *testing.T) {
	clock := &fakeClock{unix: 1700000000}
	tests := map[string]time.Duration{"young": time.Minute, "old": 2 * time.Hour, "ancient": 48 * time.Hour}
	for name, age := range tests {
		name, age := name, age
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := Begin(clock, time.Hour)
			clock.turn(age)
			time.Sleep(2 * time.Millisecond)
			if s.Alive() && age > time.Hour {
				t.Log(name, "outlived itself")
			}
		})
	}
}
