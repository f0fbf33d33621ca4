package hall

import (
	"sync"
	"testing"
	"time"
)

// office sells tickets to those who stand in line.
type office struct {
	hall *Hall
	errs []error
}

func (o *office) sell(line []func(int) error, seats int) {
	for _, buy := range line {
		o.errs = append(o.errs, buy(seats))
	}
}

func TestTwoOffices(t *testing.T) {
	h := New(40, 4, Later(4*time.Millisecond))
	var open sync.WaitGroup
	for _, o := range []*office{{hall: h}, {hall: h}} {
		open.Add(1)
		go func(o *office) {
			defer open.Done()
			o.sell([]func(int) error{h.Reserve, h.ReserveAisle}, 2)
		}(o)
	}
	open.Wait()
}
