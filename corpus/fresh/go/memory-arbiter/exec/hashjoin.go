// Package exec has operators.
package exec

import (
	"time"

	"github.com/deadheat-corpus/arbiter/memory"
)

// HashJoin builds a table from one side.
type HashJoin struct {
	mem   *memory.Tracker
	built chan int
}

// NewHashJoin returns an operator with a tracker of its own.
func NewHashJoin() *HashJoin {
	return &HashJoin{mem: memory.NewTracker("HashJoin"), built: make(chan int, 1)}
}

// Tracker is the operator's tracker.
func (e *HashJoin) Tracker() *memory.Tracker {
	return e.mem
}

// Build starts to build the table in the background.
func (e *HashJoin) Build(rows int) {
	go func() {
		for i := 0; i < rows; i++ {
			e.insert(i)
		}
		e.built <- rows
	}()
}

func (e *HashJoin) insert(int) {
	time.Sleep(time.Millisecond)
	e.mem.Consume(64)
}

// Wait returns when the table is built.
func (e *HashJoin) Wait() int {
	return <-e.built
}
