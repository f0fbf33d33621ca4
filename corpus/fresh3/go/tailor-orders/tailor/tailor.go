// Package tailor makes clothes to measure.
package tailor

import "time"

// Step is done with a piece of cloth.
type Step struct {
	Name  string
	Takes time.Duration
}

// Tailor has steps that every order goes through.
type Tailor struct {
	house []Step
}

// New returns a tailor.
func New(house ...string) *Tailor {
	t := &Tailor{house: make([]Step, 0, 8)}
	for _, name := range house {
		t.house = append(t.house, Step{Name: name, Takes: time.Millisecond})
	}
	return t
}

func (t *Tailor) plan(own []Step) []Step {
	return append(t.house, own...) //race:Tailor.house[]
}

func work(steps []Step) int {
	letters := 0
	for _, s := range steps { //race:Tailor.house[]
		time.Sleep(s.Takes)
		letters += len(s.Name)
	}
	return letters
}

// Make makes one piece.
func (t *Tailor) Make(own ...Step) int {
	return work(t.plan(own))
}
