package main

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// oracle hands out timestamps in order.
type oracle struct {
	last  uint64
	saved uint64
}

func (o *oracle) next() uint64 {
	return atomic.AddUint64(&o.last, 1) //race:oracle.last
}

// checkpoint remembers a bound that no timestamp has passed.
func (o *oracle) checkpoint(margin uint64) {
	bound := o.last + margin //race:oracle.last
	if bound > o.saved {
		o.saved = bound
	}
}

type txn struct {
	start, commit uint64
}

func begin(o *oracle) *txn { return &txn{start: o.next()} }

func (t *txn) end(o *oracle) { t.commit = o.next() }

func workload(o *oracle, n int) {
	for i := 0; i < n; i++ {
		t := begin(o)
		time.Sleep(100 * time.Microsecond)
		t.end(o)
	}
}

func main() {
	o := &oracle{}
	var wg sync.WaitGroup
	for i := 0; i < 2; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			workload(o, 10)
		}()
	}
	for i := 0; i < 4; i++ {
		time.Sleep(300 * time.Microsecond)
		o.checkpoint(100)
	}
	wg.Wait()
	fmt.Println("saved", o.saved > 0)
}
