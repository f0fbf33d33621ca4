package pipeline

import (
	"errors"
	"time"
)

// Source yields rows.
type Source interface {
	Read() (int, error)
}

// Pipeline copies rows and checks them.
type Pipeline struct {
	source Source
	sink   Source
}

var errClosed = errors.New("closed")

func (p *Pipeline) read(s Source) (int, error) {
	n, err := s.Read()
	if err != nil {
		return 0, err
	}
	return n, nil
}

// Run copies once and returns what was read.
func (p *Pipeline) Run() (int, error) {
	var err error
	var rows int
	go func() {
		rows, _ = p.read(p.source) //race:rows
	}()
	go func() {
		_, err = p.read(p.sink) //race:err
	}()
	p.settle()
	if err != nil { //race:err
		return 0, err
	}
	return rows, nil //race:rows
}

func (p *Pipeline) settle() {
	time.Sleep(30 * time.Millisecond)
}
