package main

import (
	"fmt"
	"sync"
)

// meter counts API calls per customer for the bill.
type meter struct {
	mu    sync.Mutex
	plan  string
	calls map[string]int
}

func newMeter(plan string) meter {
	return meter{plan: plan, calls: make(map[string]int)}
}

func (m meter) charge(customer string, units int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls[customer] += units //race:meter.calls[]
}

type api struct {
	meter meter
}

func (a *api) handle(customer, path string) int {
	units := 1
	if path == "/export" {
		units = 10
	}
	a.meter.charge(customer, units)
	return units
}

func main() {
	a := &api{meter: newMeter("team")}
	var wg sync.WaitGroup
	for i := 0; i < 2; i++ {
		wg.Add(1)
		go func(i int) {
			defer wg.Done()
			a.handle(fmt.Sprint("customer-", i), "/export")
			a.handle(fmt.Sprint("customer-", i), "/list")
		}(i)
	}
	wg.Wait()
	fmt.Println("charged", len(a.meter.calls) > 0)
}
