package main

import (
	"fmt"
	"time"

	"github.com/deadheat-corpus/jobrunner/jobs"
)

type board struct {
	all []*jobs.Job
}

func (b *board) page() (done int) {
	for _, j := range b.all {
		if v := j.View(); v.State == jobs.Finished {
			done++
		}
	}
	return done
}

func main() {
	r := jobs.NewRunner(2, time.Millisecond)
	b := &board{}
	for i := 0; i < 6; i++ {
		b.all = append(b.all, jobs.NewJob(fmt.Sprint(i), "lint"))
	}
	for _, j := range b.all {
		r.Submit(j)
	}
	for i := 0; i < 6; i++ {
		time.Sleep(600 * time.Microsecond)
		b.page()
	}
	r.Close()
	fmt.Println("done", b.page())
}
