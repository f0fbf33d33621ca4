package main

import (
	"fmt"
	"strings"
	"time"
)

type step struct {
	verb   string
	commit string
}

// plan is the list of steps of an interactive rebase.
type plan struct {
	steps []step
}

// drop removes a step in place, the length stays.
func (p *plan) drop(at int) {
	for i := at; i+1 < len(p.steps); i++ {
		p.steps[i] = p.steps[i+1] //race:plan.steps[]
	}
}

func (p *plan) render() string {
	var b strings.Builder
	for i := range p.steps {
		s := p.steps[i] //race:plan.steps[]
		b.WriteString(s.verb + " " + s.commit + "\n")
	}
	return b.String()
}

type view struct {
	plan   *plan
	frames int
	quit   chan struct{}
	gone   chan struct{}
}

func (v *view) refresh() {
	defer close(v.gone)
	for {
		select {
		case <-v.quit:
			return
		case <-time.After(200 * time.Microsecond):
			v.frames += strings.Count(v.plan.render(), "\n")
		}
	}
}

func main() {
	p := &plan{steps: []step{{"pick", "a1"}, {"squash", "b2"}, {"pick", "c3"}, {"edit", "d4"}}}
	v := &view{plan: p, quit: make(chan struct{}), gone: make(chan struct{})}
	go v.refresh()
	time.Sleep(time.Millisecond)
	p.drop(1)
	time.Sleep(time.Millisecond)
	close(v.quit)
	<-v.gone
	fmt.Println("frames", v.frames >= 0)
}
