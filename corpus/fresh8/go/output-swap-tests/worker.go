package worker

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// Output is where progress goes.
var Output io.Writer = os.Stderr

// Task is one unit of work.
type Task struct {
	Name string
	Cost time.Duration
}

// Group runs tasks in the background.
type Group struct {
	wg sync.WaitGroup
}

// Go starts a task.
func (g *Group) Go(t Task) {
	g.wg.Add(1)
	go func() {
		defer g.wg.Done()
		progress("start " + t.Name)
		time.Sleep(t.Cost)
		progress("end " + t.Name)
	}()
}

// Wait waits for all tasks.
func (g *Group) Wait() { g.wg.Wait() }

func progress(line string) {
	out := Output //race:Output
	fmt.Fprintln(out, line)
}
