package watch

import (
	"testing"
	"time"
)

func TestStopAfterBurst(t *testing.T) {
	w := New(20*time.Millisecond, func(paths []string) {
		if len(paths) > 3 {
			panic("too many")
		}
	})
	w.Notify(Event{"site/index.md", Write}, Event{"site/.swp", Create}, Event{"site/a.md", Write})
	time.Sleep(25 * time.Millisecond)
	w.Stop()
	time.Sleep(30 * time.Millisecond)
}
