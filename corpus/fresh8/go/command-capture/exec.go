package main

import (
	"errors"
	"fmt"
	"time"
)

var errKilled = errors.New("killed after the time limit")

type process struct {
	lines []string
	pace  time.Duration
}

func (p *process) next() (string, bool) {
	time.Sleep(p.pace)
	if len(p.lines) == 0 {
		return "", false
	}
	line := p.lines[0]
	p.lines = p.lines[1:]
	return line, true
}

// output is what a command has printed.
type output struct {
	last  string
	total int
}

func (o *output) copyFrom(p *process, done chan<- struct{}) {
	for {
		line, ok := p.next()
		if !ok {
			close(done)
			return
		}
		o.total += len(line) //race:output.total
		o.last = line        //race:output.last
	}
}

func runLimited(p *process, limit time.Duration) (*output, error) {
	o := &output{}
	done := make(chan struct{})
	go o.copyFrom(p, done)
	select {
	case <-done:
		return o, nil
	case <-time.After(limit):
		return o, errKilled
	}
}

func main() {
	p := &process{lines: []string{"fetch", "configure", "compile", "link", "test"}, pace: 500 * time.Microsecond}
	o, err := runLimited(p, 1200*time.Microsecond)
	size := o.total //race:output.total
	last := o.last  //race:output.last
	time.Sleep(5 * time.Millisecond)
	fmt.Println(size >= 0, len(last) >= 0, err != nil)
}
