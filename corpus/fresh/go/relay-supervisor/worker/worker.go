// Package worker runs handlers that may fail in any way.
package worker

import (
	"fmt"
	"runtime/debug"
	"time"
)

// Message is what a handler gets.
type Message struct {
	Topic   string
	Payload []byte
}

// Handler does the work.
type Handler func(Message) error

// Failure says what a handler died of.
type Failure struct {
	Reason string
	Stack  []byte
	At     time.Time
}

// Worker runs one handler.
type Worker struct {
	name      string
	handle    Handler
	in        chan Message
	lastPanic *Failure
}

// New returns a worker with a queue.
func New(name string, h Handler, depth int) *Worker {
	return &Worker{name: name, handle: h, in: make(chan Message, depth)}
}

// Submit hands a message to the worker.
func (w *Worker) Submit(m Message) bool {
	select {
	case w.in <- m:
		return true
	default:
		return false
	}
}

// Start runs the worker until Drain.
func (w *Worker) Start() {
	go w.loop()
}

func (w *Worker) loop() {
	for m := range w.in {
		if err := w.process(m); err != nil {
			fmt.Printf("worker %s: %v\n", w.name, err)
		}
	}
}

func (w *Worker) process(m Message) (err error) {
	defer func() {
		if r := recover(); r != nil {
			w.lastPanic = &Failure{fmt.Sprint(r), debug.Stack(), time.Now()} //race:Worker.lastPanic
			err = fmt.Errorf("handler for %s panicked", m.Topic)
		}
	}()
	return w.handle(m)
}

// Drain ends the worker once its queue is empty.
func (w *Worker) Drain() {
	close(w.in)
}

// Healthy says whether the handler has lived so far.
func (w *Worker) Healthy() bool {
	return w.lastPanic == nil //race:Worker.lastPanic
}
