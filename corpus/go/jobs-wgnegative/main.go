// Command jobs ends its jobs once too often.
package main

import (
	"errors"
	"sync"
)

// Batch runs jobs.
type Batch struct {
	wg sync.WaitGroup
}

func (b *Batch) run(job func() error) {
	defer b.wg.Done()
	if err := job(); err != nil {
		b.wg.Done() //race:Batch.wg
	}
} //race:Batch.wg

func main() {
	b := &Batch{}
	b.wg.Add(1)
	go b.run(func() error { return errors.New("disk full") })
	b.wg.Wait()
	select {}
}
