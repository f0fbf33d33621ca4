// Package studio records a choir.
package studio

import "time"

// Logger is where a studio writes its notes.
type Logger interface {
	Logf(format string, args ...any)
}

// Take is one attempt at a piece.
type Take struct {
	Piece string
	Bars  int
}

// Recorder keeps takes in the order in which they were sung.
type Recorder struct {
	notes Logger
	tape  chan Take
	bar   time.Duration
}

// NewRecorder starts a recorder.
func NewRecorder(notes Logger, bar time.Duration) *Recorder {
	r := &Recorder{notes: notes, tape: make(chan Take, 8), bar: bar}
	go r.turn()
	return r
}

// Sing hands a take to the recorder.
func (r *Recorder) Sing(t Take) {
	r.tape <- t
}

func (r *Recorder) turn() {
	for take := range r.tape {
		r.cut(take)
	}
}

func (r *Recorder) cut(t Take) {
	time.Sleep(time.Duration(t.Bars) * r.bar)
	r.notes.Logf("%s: %d bars", t.Piece, t.Bars) //race:testing.common.done
}
