package cards

import (
	"sync"
	"testing"
	"time"
)

func seat(players ...*Player) *Table {
	table := NewTable()
	var game sync.WaitGroup
	for _, p := range players {
		game.Add(1)
		go func(p *Player) {
			defer game.Done()
			p.Play(table)
			time.Sleep(10 * time.Millisecond)
		}(p)
	}
	game.Wait()
	return table
}

func TestTwoPlayers(t *testing.T) {
	ann := Deal("ann", 3*time.Millisecond, Card{'h', 9})
	bob := Deal("bob", 5*time.Millisecond, Card{'s', 4})
	if table := seat(ann, bob); len(table.history) > 2 {
		t.Fatalf("%d moves", len(table.history))
	}
}
