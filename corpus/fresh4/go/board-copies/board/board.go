// Package board holds a game.
package board

import "sync"

// Board is the state of a game.
type Board struct {
	sync.Mutex
	Name  string
	cells []byte
}

// Blank returns an empty board.
func Blank(name string, n int) *Board {
	return &Board{Name: name, cells: make([]byte, n)}
}

// Fork returns a board with another name for a second player.
func (b *Board) Fork(name string) *Board {
	twin := *b
	twin.Name = name
	return &twin
}

// Play sets a cell.
func (b *Board) Play(at int, stone byte) {
	b.Lock()
	b.cells[at] = stone //race:Board.cells[]
	b.Unlock()
}

// Stones counts the cells that are set.
func (b *Board) Stones() (n int) {
	b.Lock()
	defer b.Unlock()
	for i := range b.cells {
		if b.cells[i] != 0 { //race:Board.cells[]
			n++
		}
	}
	return n
}
