package rail

import "time"

// Line carries events from its signal boxes to boards.
type Line struct {
	boards map[string]*Board
	pause  time.Duration
}

// NewLine returns a line with a board for each station.
func NewLine(stations ...string) *Line {
	l := &Line{boards: make(map[string]*Board), pause: 3 * time.Millisecond}
	for _, name := range stations {
		l.boards[name] = NewBoard(name)
	}
	return l
}

// Follow books the events of one station as they come.
func (l *Line) Follow(station string, events []Event) {
	board := l.boards[station]
	for _, e := range events {
		board.book(e)
		time.Sleep(l.pause)
	}
}

// Page asks every station for its summary.
func (l *Line) Page(stations ...string) []Summary {
	page := make([]Summary, 0, len(stations))
	for _, name := range stations {
		page = append(page, l.boards[name].summary())
	}
	return page
}
