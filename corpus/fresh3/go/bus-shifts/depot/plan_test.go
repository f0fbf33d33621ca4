package depot

import (
	"testing"
	"time"
)

func TestTwoShifts(t *testing.T) {
	d := New()
	early := Shift{[]Bus{{4, 4 * time.Millisecond}}, 8 * time.Millisecond}
	late := Shift{[]Bus{{4, 3 * time.Millisecond}, {9, 2 * time.Millisecond}}, 5 * time.Millisecond}
	d.Day(early, late)
	time.Sleep(8 * time.Millisecond)
	if len(d.washed) > 2 {
		t.Fatal("washed too often")
	}
}
