package sauna

import (
	"testing"
	"time"
)

func evening(h Heater, sit time.Duration) float64 {
	stove := Light(h, 3*time.Millisecond)
	time.Sleep(sit)
	return stove.Off()
}

func TestEvening(t *testing.T) {
	if degrees := evening(Coil{9000}, 7*time.Millisecond); degrees < 29 {
		t.Fatalf("%.0f degrees", degrees)
	}
}
