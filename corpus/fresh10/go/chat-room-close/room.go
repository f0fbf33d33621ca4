package main

import "time"

type message struct {
	from, text string
	at         time.Time
}

type room struct {
	name  string
	lines chan message
}

func open(name string, backlog int) *room {
	return &room{name: name, lines: make(chan message, backlog)}
}

// say posts a message; it is false once the room is shut.
func (r *room) say(from, text string) (posted bool) {
	defer func() {
		if recover() != nil {
			posted = false
		}
	}()
	m := message{from: from, text: text, at: time.Now()}
	select {
	case r.lines <- m: //race:room.lines
		return true
	default:
		return true // a full room drops the line
	}
}

// transcript reads to the end and tells how many lines there were.
func (r *room) transcript() int {
	n := 0
	for m := range r.lines {
		if m.from != "" {
			n++
		}
	}
	return n
}

func (r *room) shut() {
	close(r.lines) //race:room.lines
}
