// Package bakery bakes what was ordered.
package bakery

import (
	"sync"
	"time"
)

// Batch is one tray.
type Batch struct {
	Dough  string
	Loaves int
	Burnt  int
	Bakes  time.Duration
}

// Oven bakes batches side by side.
type Oven struct {
	trays sync.WaitGroup
	cools time.Duration
	baked int
	waste int
}

// NewOven returns a cold oven.
func NewOven(cools time.Duration) *Oven {
	return &Oven{cools: cools}
}

func (o *Oven) bake(b Batch) {
	defer o.unload(b)
	defer o.trays.Done()
	time.Sleep(b.Bakes)
}

func (o *Oven) unload(b Batch) {
	time.Sleep(o.cools)
	o.baked += b.Loaves - b.Burnt //race:Oven.baked
	o.waste += b.Burnt            //race:Oven.waste
	time.Sleep(o.cools)
}
