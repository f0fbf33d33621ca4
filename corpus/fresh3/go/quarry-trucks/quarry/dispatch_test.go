package quarry

import (
	"testing"
	"time"
)

func TestDispatch(t *testing.T) {
	shift := &Shift{Fleet: []Truck{{1, 20, 0}, {2, 25, 0}, {3, 30, 0}}, Trips: 2, Gate: 3 * time.Millisecond}
	if tonnes := shift.Dispatch(); tonnes < 120 {
		t.Fatalf("%d t", tonnes)
	}
}
