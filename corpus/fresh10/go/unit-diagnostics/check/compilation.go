package check

import "sync"

// Compilation checks units.
type Compilation struct {
	units  []Unit
	passes []pass
	diags  []Diagnostic
}

// NewCompilation has all passes.
func NewCompilation(units ...Unit) *Compilation {
	return &Compilation{units: units, passes: []pass{bindings, layout}}
}

// Passes tells how many passes there are.
func (c *Compilation) Passes() int { return len(c.passes) }

func (c *Compilation) report(d Diagnostic) {
	c.diags = append(c.diags, d) //race:Compilation.diags
}

// Check runs every pass over every unit, the units side by side.
func (c *Compilation) Check() {
	var wg sync.WaitGroup
	for _, u := range c.units {
		wg.Add(1)
		go func(u Unit) {
			defer wg.Done()
			for _, run := range c.passes {
				run(u, c.report)
			}
		}(u)
	}
	wg.Wait()
}
