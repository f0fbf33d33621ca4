package tailor

import "sync"

// Order is what a customer wants.
type Order struct {
	Customer string
	Extra    Step
}

// Shop makes all orders of a day at the same time.
type Shop struct {
	Tailor *Tailor
}

// Day returns how much work each order was.
func (s *Shop) Day(orders ...Order) []int {
	work := make([]int, len(orders))
	var day sync.WaitGroup
	for i, o := range orders {
		day.Add(1)
		go func(i int, o Order) {
			defer day.Done()
			work[i] = s.Tailor.Make(o.Extra)
		}(i, o)
	}
	day.Wait()
	return work
}
