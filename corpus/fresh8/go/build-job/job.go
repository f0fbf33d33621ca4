package main

import (
	"bytes"
	"fmt"
	"log"
	"sync"
	"time"
)

type phase string

const (
	queued  phase = "queued"
	running phase = "running"
	passed  phase = "passed"
)

type job struct {
	mu    sync.Mutex
	id    int
	phase phase
}

func (j *job) advance(p phase) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.phase = p //race:job.phase
}

func (j *job) String() string {
	return fmt.Sprintf("job %d (%s)", j.id, j.phase) //race:job.phase
}

type runner struct {
	log  *log.Logger
	jobs chan *job
	wg   sync.WaitGroup
}

func (r *runner) work() {
	defer r.wg.Done()
	for j := range r.jobs {
		j.advance(running)
		time.Sleep(time.Millisecond)
		j.advance(passed)
	}
}

func (r *runner) submit(j *job) {
	r.jobs <- j
	time.Sleep(500 * time.Microsecond)
	r.log.Printf("accepted %v", j)
}

func main() {
	var lines bytes.Buffer
	r := &runner{log: log.New(&lines, "ci ", 0), jobs: make(chan *job)}
	r.wg.Add(2)
	go r.work()
	go r.work()
	for i := 0; i < 4; i++ {
		r.submit(&job{id: i, phase: queued})
	}
	close(r.jobs)
	r.wg.Wait()
	fmt.Println("all done", lines.Len() > 0)
}
