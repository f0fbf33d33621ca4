// Package zone knows time zones.
package zone

import (
	"sync"
	"time"
)

// Zones are loaded when they are needed.
type Zones struct {
	load  sync.Mutex
	ready bool
	table map[string]int
	names []string
	cost  time.Duration
}

// Offset gives the offset of a zone.
func (z *Zones) Offset(name string) int {
	if !z.ready { //race:Zones.ready
		z.load.Lock()
		if !z.ready { //race:Zones.ready
			z.fill()
			z.ready = true //race:Zones.ready
		}
		z.load.Unlock()
	}
	return len(name)
}

func (z *Zones) fill() {
	time.Sleep(z.cost)
	z.table = map[string]int{"UTC": 0, "CET": 1}
}

// Names lists the zones.
func (z *Zones) Names() int {
	if len(z.names) == 0 { //race:Zones.names
		z.load.Lock()
		defer z.load.Unlock()
		if len(z.names) == 0 { //race:Zones.names
			z.names = []string{"UTC", "CET"} //race:Zones.names
		}
	}
	return 2
}
