package metrics

import (
	"testing"
	"time"
)

func TestObserveAcrossWindows(t *testing.T) {
	latency := &Series{name: "latency"}
	a := NewAggregator(func(Point) {})
	a.Register(latency)
	stop := make(chan struct{})
	go a.Tick(6*time.Millisecond, stop)
	for v := int64(1); v < 5; v++ {
		time.Sleep(2 * time.Millisecond)
		latency.Observe(10 * v)
	}
	time.Sleep(10 * time.Millisecond)
	close(stop)
}
