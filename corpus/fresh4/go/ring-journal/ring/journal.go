package ring

import "time"

// Line is a line of a journal.
type Line struct {
	When time.Duration
	Text string
}

// Journal keeps the last lines.
type Journal struct {
	*Ring[Line]
}

// note adds a line.
func (j Journal) note(text string) {
	j.Push(Line{Text: text})
}
