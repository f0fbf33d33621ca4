package pipe

import (
	"testing"
	"time"
)

func TestStopReturnsTheRest(t *testing.T) {
	p := New(8)
	p.Record("cpu", 0.4)
	p.Record("mem", 0.7)
	p.Record("load", 1.9)
	p.Settle(5 * time.Millisecond)
	if rest := p.Stop(); len(rest) != 3 {
		t.Errorf("%d points", len(rest))
	}
}
