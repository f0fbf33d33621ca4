package bakery

import (
	"testing"
	"time"
)

func TestMorning(t *testing.T) {
	oven := NewOven(6 * time.Millisecond)
	day := oven.Morning(Batch{"rye", 12, 1, 3 * time.Millisecond})
	time.Sleep(20 * time.Millisecond)
	if day.Sold > 12 || day.Waste > 1 {
		t.Fatalf("%+v", day)
	}
}
