package main

import (
	"errors"
	"fmt"
	"sync"

	"example.com/tally/payments/hold"
)

func main() {
	h := hold.New("auth-77", 10_000)
	var refused sync.Map
	var wg sync.WaitGroup
	for _, shipment := range []struct {
		id    string
		cents int64
	}{{"box-1", 6_000}, {"box-2", 4_000}, {"box-3", 3_000}} {
		wg.Add(1)
		go func() {
			defer wg.Done()
			err := h.Capture(shipment.id, shipment.cents)
			if errors.Is(err, hold.ErrExceeded) {
				refused.Store(shipment.id, err)
			}
		}()
	}
	wg.Wait()
	refused.Range(func(id, err any) bool {
		fmt.Println(id, err)
		return true
	})
}
