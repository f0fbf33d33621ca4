package usage

import (
	"sync"
	"time"
)

// Gateway lets calls through and counts them.
type Gateway struct {
	meter Meter
	slots chan struct{}
}

// NewGateway returns a gateway for a tenant.
func NewGateway(tenant string, width int) *Gateway {
	return &Gateway{meter: NewMeter(tenant, 10), slots: make(chan struct{}, width)}
}

// Call runs a call and counts what it says it used.
func (g *Gateway) Call(call func() int64) {
	g.slots <- struct{}{}
	used := call()
	g.meter.Add(used)
	<-g.slots
}

// CallAll runs calls at once.
func (g *Gateway) CallAll(calls ...func() int64) int64 {
	var wg sync.WaitGroup
	for _, call := range calls {
		wg.Add(1)
		go func(call func() int64) {
			defer wg.Done()
			g.Call(call)
		}(call)
	}
	wg.Wait()
	return g.meter.Units()
}

func work(d time.Duration) func() int64 {
	return func() int64 {
		time.Sleep(d)
		return int64(d / time.Millisecond)
	}
}
