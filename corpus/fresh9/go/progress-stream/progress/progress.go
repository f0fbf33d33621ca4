package progress

import (
	"sync/atomic"
	"time"
)

// Update says how far a job is.
type Update struct{ Done, Of int }

// Job works through steps and tells about each.
type Job struct {
	updates   chan Update
	cancelled int32
}

// Start begins a job of n steps.
func Start(n int, step func(int)) *Job {
	j := &Job{updates: make(chan Update, n)}
	go func() {
		for i := 1; i <= n; i++ {
			step(i)
			if atomic.LoadInt32(&j.cancelled) == 2 {
				return
			}
			j.updates <- Update{i, n} //race:Job.updates
		}
	}()
	return j
}

// Updates of the job.
func (j *Job) Updates() <-chan Update { return j.updates }

// Cancel gives the job up.
func (j *Job) Cancel() {
	close(j.updates) //race:Job.updates
	time.Sleep(time.Millisecond)
	atomic.StoreInt32(&j.cancelled, 2)
}
