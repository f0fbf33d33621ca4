package main

import "strings"

type document struct {
	title    string
	words    int
	revision int
}

func (d *document) add(text string) {
	d.words += len(strings.Fields(text)) //race:document.words
	d.revision++
}

func (d *document) header() string {
	var b strings.Builder
	b.WriteString(d.title)
	for i := 0; i < d.words; i++ { //race:document.words
		b.WriteByte('.')
	}
	return b.String()
}

type editor struct {
	doc  *document
	save *saver
}

func (e *editor) typed(text string) {
	e.doc.add(text)
	e.save.soon(e.doc)
}
