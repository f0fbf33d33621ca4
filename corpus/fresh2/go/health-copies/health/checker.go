package health

import "time"

// Probe asks a service.
type Probe interface {
	Name() string
	Check() error
}

// Checker asks services again and again.
type Checker struct {
	every time.Duration
	board Board
}

// NewChecker returns a checker that fills a board.
func NewChecker(every time.Duration, board Board) *Checker {
	return &Checker{every: every, board: board}
}

// Watch asks one service so many times.
func (c *Checker) Watch(p Probe, times int) {
	for i := 0; i < times; i++ {
		time.Sleep(c.every)
		c.board.Report(p.Name(), p.Check() == nil)
	}
}
