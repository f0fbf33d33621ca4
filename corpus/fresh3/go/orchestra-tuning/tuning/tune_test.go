package tuning

import (
	"testing"
	"time"
)

func TestTune(t *testing.T) {
	strings := Section{"strings", []float64{440, 441}, 3 * time.Millisecond}
	winds := Section{"winds", []float64{442, 443}, 5 * time.Millisecond}
	brass := Section{"brass", []float64{439}, 9 * time.Millisecond}
	if got := Tune(440, strings, winds, brass); len(got) > 3 {
		t.Fatalf("got %v", got)
	}
}
