package main

import (
	"context"
	"fmt"
	"time"
)

type statement struct {
	text string
	cost time.Duration
}

// execution is one run of a statement.
type execution struct {
	stmt statement
	err  error
	rows int
	done chan struct{}
}

func (e *execution) run() {
	time.Sleep(e.stmt.cost)
	if e.stmt.text == "" {
		e.err = fmt.Errorf("empty statement") //race:execution.err
	} else {
		e.err = nil //race:execution.err
	}
	e.done <- struct{}{}
}

func (e *execution) wait(ctx context.Context) error {
	select {
	case <-e.done:
	case <-ctx.Done():
		e.err = ctx.Err() //race:execution.err
	}
	return e.err //race:execution.err
}

func execute(ctx context.Context, s statement) error {
	e := &execution{stmt: s, done: make(chan struct{}, 1)}
	go e.run()
	return e.wait(ctx)
}

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	err := execute(ctx, statement{"select pg_sleep(1)", 3 * time.Millisecond})
	time.Sleep(5 * time.Millisecond)
	fmt.Println("cancelled", err != nil || err == nil)
}
