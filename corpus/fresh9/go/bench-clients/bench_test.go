package bench

import (
	"testing"
	"time"
)

func TestRunCallsTarget(t *testing.T) {
	out := Run(6, 3, func(client, call int) time.Duration {
		return time.Duration(client+call) * time.Microsecond
	})
	if len(out) == 0 {
		t.Fatal("no results")
	}
	for id, r := range out {
		if r.Calls != 3 {
			t.Errorf("client %d made %d calls", id, r.Calls)
		}
	}
}
