package track

import (
	"testing"
	"time"
)

func TestRunning(t *testing.T) {
	tr := New()
	go func() {
		time.Sleep(2 * time.Millisecond)
		tr.Update("build", 1)
		time.Sleep(8 * time.Millisecond)
		tr.Prune()
		time.Sleep(20 * time.Millisecond)
	}()
	for i := 0; i < 2; i++ {
		time.Sleep(7 * time.Millisecond)
		if n := tr.Running(); n > 1 {
			t.Fatalf("got %d", n)
		}
	}
}
