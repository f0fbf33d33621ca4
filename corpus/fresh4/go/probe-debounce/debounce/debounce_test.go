package debounce

import (
	"testing"
	"time"
)

func TestStopWhileFlushing(t *testing.T) {
	d := New(4*time.Millisecond, func(string) { time.Sleep(8 * time.Millisecond) })
	d.Offer("resize")
	time.Sleep(8 * time.Millisecond)
	d.Stop()
	time.Sleep(15 * time.Millisecond)
}
