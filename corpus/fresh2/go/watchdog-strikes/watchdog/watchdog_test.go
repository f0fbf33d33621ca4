package watchdog

import (
	"testing"
	"time"
)

func TestFedTooLate(t *testing.T) {
	w := New(4*time.Millisecond, func(int) {})
	w.Arm()
	time.Sleep(6 * time.Millisecond)
	w.Feed()
	if n := w.Disarm(); n > 1 {
		t.Fatalf("got %d", n)
	}
	time.Sleep(8 * time.Millisecond)
}
