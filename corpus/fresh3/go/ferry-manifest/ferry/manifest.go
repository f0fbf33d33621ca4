// Package ferry counts who is aboard.
package ferry

import (
	"context"
	"time"
)

// Manifest is what the harbour gets to see.
type Manifest struct {
	Ship   string
	aboard int
	note   string
}

// Gangway counts passengers, one after the other.
type Gangway struct {
	Each time.Duration
}

func (g Gangway) count(tickets []string) int {
	n := 0
	for _, ticket := range tickets {
		time.Sleep(g.Each)
		if ticket != "" {
			n++
		}
	}
	return n
}

func (m *Manifest) fill(n int, note string) {
	m.aboard = n  //race:Manifest.aboard
	m.note = note //race:Manifest.note
}

func (m *Manifest) giveUp(why string) {
	m.aboard = -1 //race:Manifest.aboard
	m.note = why  //race:Manifest.note
}

// Board fills a manifest, unless the context ends before.
func (m *Manifest) Board(ctx context.Context, g Gangway, tickets []string) bool {
	full := make(chan bool, 1)
	go func() {
		m.fill(g.count(tickets), "counted")
		full <- true
	}()
	select {
	case <-full:
		return true
	case <-ctx.Done():
		m.giveUp(ctx.Err().Error())
		return false
	}
}
