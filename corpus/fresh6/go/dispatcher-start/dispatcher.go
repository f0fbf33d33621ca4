package main

import (
	"fmt"
	"time"
)

type task struct {
	id  int
	run func() error
}

type dispatcher struct {
	queue   chan task
	onDone  func(id int, err error)
	timeout time.Duration
	stopped chan struct{}
}

type option func(*dispatcher)

func withTimeout(d time.Duration) option {
	return func(x *dispatcher) { x.timeout = d } //race:dispatcher.timeout
}

func newDispatcher(depth int, opts ...option) *dispatcher {
	d := &dispatcher{
		queue:   make(chan task, depth),
		stopped: make(chan struct{}),
	}
	go d.loop()
	d.onDone = func(int, error) {} //race:dispatcher.onDone
	for _, o := range opts {
		o(d)
	}
	return d
}

func (d *dispatcher) loop() {
	defer close(d.stopped)
	idle := time.NewTimer(time.Millisecond)
	defer idle.Stop()
	for {
		select {
		case t, ok := <-d.queue:
			if !ok {
				return
			}
			d.execute(t)
		case <-idle.C:
			if d.timeout > 0 { //race:dispatcher.timeout
				idle.Reset(time.Millisecond)
			}
			if d.onDone == nil { //race:dispatcher.onDone
				fmt.Println("idle without a callback")
			}
		}
	}
}

func (d *dispatcher) execute(t task) {
	err := t.run()
	d.onDone(t.id, err)
}

func (d *dispatcher) submit(t task) { d.queue <- t }

func (d *dispatcher) close() {
	close(d.queue)
	<-d.stopped
}
