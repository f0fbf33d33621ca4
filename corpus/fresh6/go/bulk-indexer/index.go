package main

import (
	"fmt"
	"strings"
	"time"
)

type document struct {
	path  string
	terms []string
}

// sink takes documents that are ready to be searched.
type sink interface {
	Accept(d document) error
	Len() int
}

type memorySink struct {
	max  int
	docs []document
}

func (m *memorySink) Accept(d document) error {
	if m.Len() >= m.max {
		return fmt.Errorf("sink is full at %s", d.path)
	}
	m.docs = append(m.docs, d) //race:memorySink.docs
	return nil
}

func (m *memorySink) Len() int { return len(m.docs) } //race:memorySink.docs

type indexer struct {
	out  sink
	read func(path string) (string, error)
}

func (ix *indexer) indexOne(path string) error {
	text, err := ix.read(path)
	if err != nil {
		return fmt.Errorf("index %s: %w", path, err)
	}
	return ix.out.Accept(document{path: path, terms: strings.Fields(text)})
}

// Index parses all files at once.
func (ix *indexer) Index(paths []string) error {
	var g group
	for _, p := range paths {
		p := p
		g.Go(func() error { return ix.indexOne(p) })
	}
	return g.Wait()
}

func fromDisk(path string) (string, error) {
	time.Sleep(500 * time.Microsecond)
	return "the text of " + path, nil
}
