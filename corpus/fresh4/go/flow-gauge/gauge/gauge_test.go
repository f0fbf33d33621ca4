package gauge

import (
	"testing"
	"time"
)

func raiseOften(g *Gauge, pause time.Duration) {
	for i := int64(1); i < 6; i++ {
		time.Sleep(pause)
		g.Raise(i)
	}
	time.Sleep(3 * pause)
}

func TestGauge(t *testing.T) {
	g := new(Gauge)
	go raiseOften(g, 4*time.Millisecond)
	time.Sleep(10 * time.Millisecond)
	if g.Value() < 0 {
		t.Fatal("negative")
	}
	g.Flatten()
	time.Sleep(15 * time.Millisecond)
}
