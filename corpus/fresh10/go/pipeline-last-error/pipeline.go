package main

import (
	"fmt"
	"sync"
)

type stage[T any] struct {
	name string
	work func(T) (T, error)
}

// pipeline takes items through its stages, each in a goroutine of its own.
type pipeline[T any] struct {
	stages []stage[T]

	mu  sync.Mutex
	err error
}

func (p *pipeline[T]) then(name string, work func(T) (T, error)) {
	p.stages = append(p.stages, stage[T]{name, work})
}

func (p *pipeline[T]) fail(name string, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err == nil { //race:pipeline.err
		p.err = fmt.Errorf("%s: %w", name, err) //race:pipeline.err
	}
}

// ok is for those who want to stop early.
func (p *pipeline[T]) ok() bool {
	return p.err == nil //race:pipeline.err
}

func (p *pipeline[T]) run(in <-chan T) <-chan T {
	for _, s := range p.stages {
		in = p.through(s, in)
	}
	return in
}

func (p *pipeline[T]) through(s stage[T], in <-chan T) <-chan T {
	out := make(chan T)
	go func() {
		defer close(out)
		for item := range in {
			made, err := s.work(item)
			if err != nil {
				p.fail(s.name, err)
				continue
			}
			out <- made
		}
	}()
	return out
}
