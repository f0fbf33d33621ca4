package steps

import (
	"testing"
	"time"
)

func TestRun(t *testing.T) {
	r := &Runner{}
	go r.Run([]int{1, 2})
	time.Sleep(20 * time.Millisecond)
	if !r.Failed() {
		t.Error("no failure seen")
	}
}
