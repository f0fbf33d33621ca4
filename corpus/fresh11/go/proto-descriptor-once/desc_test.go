package desc

import (
	"sync"
	"testing"
)

type order struct {
	ID     int
	Amount int
	Note   string
}

func TestNumbersFromManyDecoders(t *testing.T) {
	d := Of(order{})
	var decoders sync.WaitGroup
	for _, name := range []string{"ID", "Amount", "Note", "Nope"} {
		decoders.Add(1)
		go func() {
			defer decoders.Done()
			if n := d.Number(name); n > 2 {
				t.Errorf("%s is %d", name, n)
			}
		}()
	}
	decoders.Wait()
}
