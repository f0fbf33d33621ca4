package fetch

import (
	"testing"
	"time"
)

func TestFinishLeavesNothing(t *testing.T) {
	var j Job
	j.Start(4096)
	if left := j.Finish(); left < 0 {
		t.Errorf("left: %d", left)
	}
	time.Sleep(8 * time.Millisecond)
}
