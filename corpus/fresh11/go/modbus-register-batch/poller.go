// Command modbus reads the registers of a plant and uploads them.
package main

import (
	"fmt"
	"sync"
)

type reading struct {
	unit, register uint16
	value          uint16
}

type uplink struct {
	inflight sync.WaitGroup
	mu       sync.Mutex
	sum      int
}

func (u *uplink) send(rows []reading) {
	u.inflight.Add(1)
	go func() {
		defer u.inflight.Done()
		total := 0
		for i := range rows {
			total += int(rows[i].value) //race:poller.batch[]
		}
		u.mu.Lock()
		u.sum += total
		u.mu.Unlock()
	}()
}

type poller struct {
	batch []reading
	limit int
	up    *uplink
}

func (p *poller) add(r reading) {
	p.batch = append(p.batch, r) //race:poller.batch[]
	if len(p.batch) == p.limit {
		p.up.send(p.batch)
		p.batch = p.batch[:0]
	}
}

func main() {
	up := &uplink{}
	p := &poller{limit: 32, up: up, batch: make([]reading, 0, 32)}
	for cycle := uint16(0); cycle < 20; cycle++ {
		for unit := uint16(1); unit <= 4; unit++ {
			for reg := uint16(0); reg < 8; reg++ {
				p.add(reading{unit, 30001 + reg, cycle*reg + unit})
			}
		}
	}
	up.inflight.Wait()
	fmt.Println("uploaded", up.sum > 0)
}
