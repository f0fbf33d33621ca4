// Package puzzle makes number puzzles for the weekend.
package puzzle

import (
	"bytes"
	"math/rand"
)

// Grid is one line of a puzzle, with holes.
type Grid [4]byte

// Maker makes puzzles and sets them.
type Maker struct {
	dice  *rand.Rand
	page  bytes.Buffer
	holes int
}

// NewMaker returns a maker whose puzzles can be made again.
func NewMaker(seed int64, holes int) *Maker {
	return &Maker{dice: rand.New(rand.NewSource(seed)), holes: holes}
}

func (m *Maker) draw() Grid {
	grid := Grid{'1', '2', '3', '4'}
	for i := 0; i < m.holes; i++ {
		grid[m.dice.Intn(len(grid))] = '.' //race:Maker.dice
	}
	return grid
}

func (m *Maker) set(grid Grid) {
	m.page.Write(grid[:]) //race:Maker.page
}

// Make makes one puzzle and puts it on the page.
func (m *Maker) Make() {
	m.set(m.draw())
}
