package main

import (
	"sync"
	"time"
)

type state string

const (
	queued  state = "queued"
	running state = "running"
	done    state = "done"
	failed  state = "failed"
)

type task struct {
	id       int
	state    state
	attempts int
	run      func() error
}

// board runs tasks and can be asked about them.
type board struct {
	mu    sync.Mutex
	tasks []*task
	queue chan *task
}

func newBoard() *board { return &board{queue: make(chan *task, 16)} }

func (b *board) submit(id int, run func() error) {
	t := &task{id: id, state: queued, run: run}
	b.mu.Lock()
	b.tasks = append(b.tasks, t)
	b.mu.Unlock()
	b.queue <- t
}

func (b *board) work() {
	for t := range b.queue {
		b.execute(t, 2)
	}
}

func (b *board) execute(t *task, limit int) {
	t.state = running //race:task.state
	for n := 0; n < limit; n++ {
		t.attempts++ //race:task.attempts
		if t.run() == nil {
			t.state = done //race:task.state
			return
		}
	}
	t.state = failed //race:task.state
}

type row struct {
	id       int
	state    state
	attempts int
}

func (b *board) status() []row {
	b.mu.Lock()
	tasks := append([]*task(nil), b.tasks...)
	b.mu.Unlock()
	rows := make([]row, 0, len(tasks))
	for _, t := range tasks {
		r := row{id: t.id}
		r.state = t.state       //race:task.state
		r.attempts = t.attempts //race:task.attempts
		rows = append(rows, r)
	}
	return rows
}

func (b *board) page(every time.Duration, times int) int {
	n := 0
	for i := 0; i < times; i++ {
		time.Sleep(every)
		n += len(b.status())
	}
	return n
}
