package main

import (
	"sync"
	"time"
)

type object struct {
	name string

	mu      sync.Mutex
	phase   string
	message string
}

func (o *object) setPhase(phase, message string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.phase = phase     //race:object.phase
	o.message = message //race:object.message
}

type reconciler struct {
	queue chan *object
}

func (r *reconciler) reconcile(o *object) {
	o.setPhase("Pending", "waiting for a node")
	time.Sleep(300 * time.Microsecond)
	o.setPhase("Running", "started on node-3")
}

func (r *reconciler) worker(wg *sync.WaitGroup) {
	defer wg.Done()
	for o := range r.queue {
		r.reconcile(o)
	}
}
