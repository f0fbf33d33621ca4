// Package cards lets players play at one table.
package cards

// Card is one of 52.
type Card struct {
	Suit rune
	Rank int
}

// Move is what a player did.
type Move struct {
	Player string
	Laid   bool
}

// Table has what everybody sees.
type Table struct {
	pile    []Card
	history []Move
}

// NewTable returns a table with room for a game.
func NewTable() *Table {
	return &Table{pile: make([]Card, 0, 52), history: make([]Move, 0, 64)}
}

func (t *Table) lay(c Card) {
	t.pile = append(t.pile, c) //race:Table.pile
}

func (t *Table) note(m Move) {
	t.history = append(t.history, m) //race:Table.history
}
