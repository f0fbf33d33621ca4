package orders

import (
	"sync"
	"time"
)

// Order is an order to be priced.
type Order struct {
	ID    int
	Items int
}

// Pricer prices orders.
type Pricer func(Order) (int, error)

// ProcessAll prices all orders and returns the prices.
func ProcessAll(orders []Order, price Pricer) []int {
	var (
		mu      sync.Mutex
		results []int
	)
	add := func(cents int) {
		mu.Lock()
		defer mu.Unlock()
		results = append(results, cents) //race:ProcessAll.results
	}
	var wg sync.WaitGroup
	for _, o := range orders {
		wg.Add(1)
		go func(o Order, sofar []int) { //race:ProcessAll.results
			defer wg.Done()
			cents, err := price(o)
			if err != nil || len(sofar) > 1000 {
				return
			}
			add(cents)
		}(o, results) //race:ProcessAll.results
		time.Sleep(time.Millisecond)
	}
	wg.Wait()
	return results
}
