// Package stock knows what is on the shelves.
package stock

import "sync"

// Shelf holds one kind of goods.
type Shelf struct {
	inbound  sync.Mutex
	outbound sync.Mutex
	free     int
	lastBy   string
}

// Receive puts goods on the shelf.
func (s *Shelf) Receive(by string, n int) {
	s.inbound.Lock()
	defer s.inbound.Unlock()
	s.free += n   //race:Shelf.free
	s.lastBy = by //race:Shelf.lastBy
}

// Order takes goods off the shelf.
func (s *Shelf) Order(by string, n int) bool {
	s.outbound.Lock()
	defer s.outbound.Unlock()
	if s.free < n { //race:Shelf.free
		return false
	}
	s.free -= n   //race:Shelf.free
	s.lastBy = by //race:Shelf.lastBy
	return true
}
