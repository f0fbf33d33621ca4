package executor

import (
	"time"

	"github.com/deadheat-corpus/dbsession/stmtctx"
)

// Lookup is an executor with a worker of its own.
type Lookup struct {
	sc   *stmtctx.StatementContext
	done chan struct{}
}

// Open starts the worker.
func (e *Lookup) Open() {
	e.done = make(chan struct{})
	e.startWorker()
}

func (e *Lookup) startWorker() {
	go func() {
		defer close(e.done)
		e.fetchTasks()
	}()
}

func (e *Lookup) fetchTasks() {
	time.Sleep(30 * time.Millisecond)
	e.report()
}

func (e *Lookup) report() {
	mem, disk := e.sc.Usage()
	if mem+disk > 1<<30 {
		panic("out of memory")
	}
}
