package main

import (
	"errors"
	"fmt"
	"time"
)

var errTruncated = errors.New("truncated record")

type stage struct {
	name  string
	items int
	pace  time.Duration
}

func (s stage) step(i int) error {
	time.Sleep(s.pace)
	if i%2 == 1 {
		return fmt.Errorf("%s: item %d: %w", s.name, i, errTruncated)
	}
	return nil
}

type pipeline struct {
	stages []stage
	errs   chan error
}

func newPipeline(stages ...stage) *pipeline {
	return &pipeline{stages: stages, errs: make(chan error, 32)}
}

func (p *pipeline) runStage(s stage, last bool) {
	for i := 0; i < s.items; i++ {
		if err := s.step(i); err != nil {
			p.errs <- err //race:pipeline.errs
		}
	}
	if last {
		close(p.errs) //race:pipeline.errs
	}
}

// Run starts all stages and returns the errors they report.
func (p *pipeline) Run() []error {
	for i, s := range p.stages {
		go p.runStage(s, i == len(p.stages)-1)
	}
	var all []error
	for err := range p.errs {
		all = append(all, err)
	}
	return all
}

func main() {
	p := newPipeline(
		stage{"decode", 4, time.Millisecond},
		stage{"enrich", 4, time.Millisecond},
		stage{"store", 12, time.Millisecond},
	)
	errs := p.Run()
	fmt.Println("errors", len(errs))
}
