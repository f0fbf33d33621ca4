// Package dispatch gives jobs to workers.
package dispatch

import "time"

// Job is something to do.
type Job func() error

// Dispatcher has workers.
type Dispatcher struct {
	jobs   chan Job
	faults chan error
}

// Start returns a dispatcher with so many workers.
func Start(workers int) *Dispatcher {
	d := &Dispatcher{jobs: make(chan Job, 8), faults: make(chan error, 8)}
	for i := 0; i < workers; i++ {
		go d.work()
	}
	return d
}

// Submit gives a job to whoever is idle.
func (d *Dispatcher) Submit(j Job) {
	d.jobs <- j //race:Dispatcher.jobs
}

func (d *Dispatcher) work() {
	for j := range d.jobs {
		if err := j(); err != nil {
			d.complain(err)
		}
	}
}

func (d *Dispatcher) complain(err error) {
	select {
	case d.faults <- err: //race:Dispatcher.faults
	case <-time.After(time.Second):
	}
}

// Stop takes no more jobs.
func (d *Dispatcher) Stop() {
	close(d.jobs)   //race:Dispatcher.jobs
	close(d.faults) //race:Dispatcher.faults
}
