package main

import "sync"

type player int

// table is where a game is played.
type table struct {
	sync.Mutex
	name string
	pot  int
	bets int
	last player
}

// bet puts chips into the pot.
func (t *table) bet(p player, chips int) {
	t.Lock()
	defer t.Unlock()
	t.pot += chips //race:table.pot
	t.bets++
	t.last = p
}
