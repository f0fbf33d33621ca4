package main

import (
	"fmt"
	"sync"
	"time"
)

type gauge struct {
	name string
	read func() int
}

type reporter struct {
	gauges []gauge
	last   map[string]int
}

func (p *reporter) report() {
	for _, g := range p.gauges {
		p.last[g.name] = g.read()
	}
}

func main() {
	r := newRegistry()
	p := &reporter{gauges: []gauge{{name: "open_txns", read: r.active}}, last: map[string]int{}}
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		for i := 0; i < 8; i++ {
			_ = r.within(func(t *txn) error {
				t.writes++
				time.Sleep(500 * time.Microsecond)
				return nil
			})
		}
	}()
	for i := 0; i < 6; i++ {
		p.report()
		time.Sleep(time.Millisecond)
	}
	wg.Wait()
	fmt.Println("reported", len(p.last))
}
