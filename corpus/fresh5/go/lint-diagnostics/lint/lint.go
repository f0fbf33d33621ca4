package lint

import (
	"sort"
	"strings"
	"sync"
)

// Diagnostic is one complaint.
type Diagnostic struct {
	Rule string
	Line int
}

// Pass is what an analyzer gets.
type Pass struct {
	Lines  []string
	Report func(line int)
}

// Analyzer looks for one kind of fault.
type Analyzer struct {
	Name string
	Run  func(*Pass)
}

// Runner runs analyzers over a file.
type Runner struct {
	analyzers []*Analyzer
	diags     []Diagnostic
}

// NewRunner makes a runner.
func NewRunner(analyzers ...*Analyzer) *Runner {
	return &Runner{analyzers: analyzers}
}

func (r *Runner) pass(name string, lines []string) *Pass {
	return &Pass{
		Lines: lines,
		Report: func(line int) {
			r.diags = append(r.diags, Diagnostic{name, line}) //race:Runner.diags
		},
	}
}

// Check returns what all analyzers found.
func (r *Runner) Check(text string) []Diagnostic {
	lines := strings.Split(text, "\n")
	var wg sync.WaitGroup
	for _, a := range r.analyzers {
		wg.Add(1)
		go func(a *Analyzer) {
			defer wg.Done()
			a.Run(r.pass(a.Name, lines))
		}(a)
	}
	wg.Wait()
	sort.Slice(r.diags, func(i, j int) bool { return r.diags[i].Line < r.diags[j].Line })
	return r.diags
}
