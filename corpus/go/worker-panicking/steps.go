package steps

// Runner runs steps and survives their panics.
type Runner struct {
	failed bool
	ended  chan struct{}
}

//go:noinline
func (r *Runner) step(n int, input []int) int {
	return input[n]
}

// Run runs all steps.
func (r *Runner) Run(input []int) {
	defer func() {
		if e := recover(); e != nil {
			r.failed = true //race:Runner.failed
		}
	}()
	for i := 0; i <= len(input); i++ {
		r.step(i, input)
	}
}

// Failed tells whether a step failed.
func (r *Runner) Failed() bool {
	return r.failed //race:Runner.failed
}
