package editor

import "time"

type change interface {
	size() int
}

type insert struct{ text string }

func (i insert) size() int { return len(i.text) }

type erase struct{ n int }

func (e erase) size() int { return -e.n }

// Document is an open file.
type Document struct {
	undo []change
}

// Type inserts text at the cursor.
func (d *Document) Type(text string) {
	d.push(insert{text})
}

// Erase deletes characters before the cursor.
func (d *Document) Erase(n int) {
	d.push(erase{n})
}

func (d *Document) push(c change) {
	d.undo = append(d.undo, c) //race:Document.undo,Document.undo[]
}

// StepBack takes the last change back.
func (d *Document) StepBack() bool {
	last := len(d.undo) - 1 //race:Document.undo
	if last < 0 {
		return false
	}
	d.undo = d.undo[:last] //race:Document.undo
	return true
}

func (d *Document) journal() int {
	n := 0
	steps := d.undo //race:Document.undo
	for i := range steps {
		n += steps[i].size() //race:Document.undo[]
	}
	return n
}

// Autosave writes the journal every so often.
func (d *Document) Autosave(every time.Duration, times int, write func(size int)) {
	for i := 0; i < times; i++ {
		time.Sleep(every)
		write(d.journal())
	}
}
