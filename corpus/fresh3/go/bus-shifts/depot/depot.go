// Package depot sends buses out and waits for them.
package depot

import (
	"sync"
	"time"
)

// Bus drives a round.
type Bus struct {
	Line  int
	Round time.Duration
}

// Depot counts the buses that are out.
type Depot struct {
	out    sync.WaitGroup
	washed chan int
}

// New returns a depot with room for some shifts.
func New() *Depot {
	return &Depot{washed: make(chan int, 16)}
}

// Leave sends a shift out.
func (d *Depot) Leave(buses ...Bus) {
	for _, b := range buses {
		d.send(b)
	}
}

func (d *Depot) send(b Bus) {
	d.out.Add(1) //race:Depot.out
	go func() {
		defer d.out.Done()
		time.Sleep(b.Round)
	}()
}

// Wash waits until nobody is out, and washes.
func (d *Depot) Wash(shift int) {
	d.out.Wait() //race:Depot.out
	d.washed <- shift
}
