// Package marina gives berths to yachts.
package marina

import "sync"

// Berth is a place at a pier.
type Berth struct {
	mu    sync.Mutex
	yacht string
	since int
}

func (b *Berth) moor(yacht string, day int) {
	b.yacht = yacht //race:Berth.yacht
	b.since = day   //race:Berth.since
}

// Leave frees the berth and says for how many days to pay.
func (b *Berth) Leave(day int) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.yacht = ""          //race:Berth.yacht
	days := day - b.since //race:Berth.since
	return days
}
