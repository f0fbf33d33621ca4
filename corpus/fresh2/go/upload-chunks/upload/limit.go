package upload

import "time"

// limiter starts functions, one per tick.
type limiter struct {
	tick time.Duration
	done chan error
}

func (l *limiter) start(f func() error) {
	go func() { l.done <- f() }()
	time.Sleep(l.tick)
}

func (l *limiter) finish(n int) error {
	var first error
	for ; n > 0; n-- {
		if err := <-l.done; err != nil && first == nil {
			first = err
		}
	}
	return first
}
