package preflight

import (
	"testing"
	"time"
)

func never() bool {
	time.Sleep(2 * time.Millisecond)
	return false
}

func TestRunAllFail(t *testing.T) {
	r := Run(Check{"ports", never}, Check{"disk", never}, Check{"memory", never})
	if r.OK {
		t.Error("all checks fail")
	}
}
