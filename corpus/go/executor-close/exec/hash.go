// Package exec runs parts of a query.
package exec

import "time"

type table struct {
	rows []int
}

// HashExec builds a hash table in the background.
type HashExec struct {
	table *table
	input []int
	ended chan struct{}
}

// Open starts the build worker.
func (e *HashExec) Open(input []int) {
	e.table = &table{}
	e.input = input
	e.ended = make(chan struct{})
	go e.buildWorker()
}

func (e *HashExec) buildWorker() {
	defer close(e.ended)
	for _, v := range e.input {
		t := e.table //race:HashExec.table
		if t == nil {
			return
		}
		t.rows = append(t.rows, v)
		time.Sleep(time.Millisecond)
	}
}

// Close frees the table.
func (e *HashExec) Close() error {
	e.table = nil //race:HashExec.table
	return nil
}
