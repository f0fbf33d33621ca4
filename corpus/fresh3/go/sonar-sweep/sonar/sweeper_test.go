package sonar

import (
	"testing"
	"time"
)

func TestColdStart(t *testing.T) {
	tubes := func() { time.Sleep(5 * time.Millisecond) }
	w := Sweep(Settings{Gain: 1.5, Beam: "narrow", Pings: 4 * time.Millisecond}, tubes)
	time.Sleep(10 * time.Millisecond)
	if n := w.Port(); n == 0 {
		t.Fatal("no echo")
	}
}
