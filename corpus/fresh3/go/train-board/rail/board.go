// Package rail shows passengers how the trains run.
package rail

// Kind is what happened to a train.
type Kind int

// The kinds of events.
const (
	OnTime Kind = iota
	Late
	Dropped
)

// Event is sent by a signal box.
type Event struct {
	Train   int
	Kind    Kind
	Minutes int
}

// Board sums up what happened at a station.
type Board struct {
	station   string
	delayed   int
	cancelled int
}

// NewBoard returns an empty board.
func NewBoard(station string) *Board {
	return &Board{station: station}
}

func (b *Board) book(e Event) {
	switch e.Kind {
	case Late:
		b.delayed += e.Minutes //race:Board.delayed
	case Dropped:
		b.cancelled++ //race:Board.cancelled
	}
}

// Summary is what passengers read.
type Summary struct {
	Station   string
	Delayed   int
	Cancelled int
}

func (b *Board) summary() Summary {
	s := Summary{Station: b.station}
	s.Delayed = b.delayed     //race:Board.delayed
	s.Cancelled = b.cancelled //race:Board.cancelled
	return s
}
