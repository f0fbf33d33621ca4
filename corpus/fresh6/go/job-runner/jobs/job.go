// Package jobs runs shell jobs of a CI agent.
package jobs

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

type State string

const (
	Queued   State = "queued"
	Running  State = "running"
	Finished State = "finished"
)

type Job struct {
	ID   string
	Name string

	mu    sync.Mutex
	state State
	exit  int
	log   []string
}

func NewJob(id, name string) *Job {
	return &Job{ID: id, Name: name, state: Queued, exit: -1}
}

func (j *Job) begin() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.state != Queued {
		return fmt.Errorf("job %s is %s", j.ID, j.state)
	}
	j.state = Running //race:Job.state
	return nil
}

func (j *Job) end(code int) {
	j.mu.Lock()
	j.state = Finished //race:Job.state
	j.exit = code      //race:Job.exit
	j.mu.Unlock()
}

func (j *Job) logf(format string, args ...any) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.log = append(j.log, fmt.Sprintf(format, args...))
}

// View is what the web page shows of a job.
type View struct {
	ID    string
	State State
	Exit  int
}

func (j *Job) View() View {
	v := View{ID: j.ID}
	v.State = j.state //race:Job.state
	v.Exit = j.exit   //race:Job.exit
	return v
}

var ErrStopped = errors.New("runner stopped")

// Runner works through a queue of jobs.
type Runner struct {
	queue chan *Job
	step  time.Duration
	wg    sync.WaitGroup
}

func NewRunner(workers int, step time.Duration) *Runner {
	r := &Runner{queue: make(chan *Job, 16), step: step}
	for i := 0; i < workers; i++ {
		r.wg.Add(1)
		go r.work()
	}
	return r
}

func (r *Runner) work() {
	defer r.wg.Done()
	for j := range r.queue {
		if err := j.begin(); err != nil {
			j.logf("refused: %v", err)
			continue
		}
		time.Sleep(r.step)
		j.logf("exit status 0")
		j.end(0)
	}
}

func (r *Runner) Submit(j *Job) { r.queue <- j }

func (r *Runner) Close() {
	close(r.queue)
	r.wg.Wait()
}
