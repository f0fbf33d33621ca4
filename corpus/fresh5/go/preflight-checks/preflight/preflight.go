package preflight

import (
	"sync"
	"time"
)

// Check is one condition that the host must fulfil.
type Check struct {
	Name string
	Test func() bool
}

// Report is the outcome of all checks.
type Report struct {
	OK      bool
	Slowest time.Duration
}

// Run runs all checks at once.
func Run(checks ...Check) Report {
	ok := true
	slowest := time.Duration(0)
	var wg sync.WaitGroup
	for _, c := range checks {
		wg.Add(1)
		go func(c Check) {
			defer wg.Done()
			began := time.Now()
			passed := c.Test()
			took := time.Since(began)
			if took > slowest { //race:Run.slowest
				slowest = took //race:Run.slowest
			}
			if !passed {
				ok = false //race:Run.ok
			}
		}(c)
	}
	wg.Wait()
	return Report{OK: ok, Slowest: slowest}
}
