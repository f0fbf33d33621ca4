package arrivals

import (
	"testing"
	"time"
)

func TestSimulate(t *testing.T) {
	g := NewGenerator(42, 100*time.Microsecond)
	if got := Simulate(g, 3, 5, func(int) {}); got != 15 {
		t.Errorf("%d requests", got)
	}
}
