package runner

import (
	"testing"
	"time"
)

func TestPanickingTask(t *testing.T) {
	var r Runner
	r.Run(func() string {
		var sizes []int
		time.Sleep(2 * time.Millisecond)
		return string(rune(sizes[3]))
	})
	Wait()
	if text := r.Describe("resize"); text == "" {
		t.Error("nothing to say")
	}
	time.Sleep(5 * time.Millisecond)
}
