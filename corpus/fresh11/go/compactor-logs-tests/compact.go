// Package compact merges segments in the background.
package compact

import "time"

// Logger is told what is merged.
type Logger interface {
	Logf(format string, args ...any)
}

// Compactor merges segments two by two.
type Compactor struct {
	log     Logger
	pause   time.Duration
	results chan int
}

// New makes a compactor.
func New(log Logger, pause time.Duration) *Compactor {
	return &Compactor{log: log, pause: pause, results: make(chan int, 16)}
}

// Merge merges sizes down to one, in the background.
func (c *Compactor) Merge(sizes []int) {
	go func() {
		for len(sizes) > 1 {
			merged := sizes[0] + sizes[1]
			sizes = append([]int{merged}, sizes[2:]...)
			c.results <- merged
			time.Sleep(c.pause)
			c.log.Logf("merged into %d", merged) //race:testing.common
		}
	}()
}
