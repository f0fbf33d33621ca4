package step

import (
	"errors"
	"time"
)

// ErrTimeout says that a step took too long.
var ErrTimeout = errors.New("step timed out")

// Step is one command of a build.
type Step struct {
	Name  string
	Lines []string
}

// Run feeds the output of a command into the step until it ends or the time is over.
func (s *Step) Run(output <-chan string, limit time.Duration) error {
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		for line := range output {
			s.Lines = append(s.Lines, line) //race:Step.Lines
		}
	}()
	select {
	case <-finished:
		return nil
	case <-time.After(limit):
		return ErrTimeout
	}
}

// Tail is the last line of the output.
func (s *Step) Tail() string {
	n := len(s.Lines) //race:Step.Lines
	if n == 0 {
		return ""
	}
	return s.Lines[n-1] //race:Step.Lines
}
