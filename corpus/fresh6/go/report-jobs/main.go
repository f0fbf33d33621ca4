package main

import (
	"fmt"
	"strings"
	"sync"
	"time"
)

type job struct {
	name   string
	rows   int
	output string
}

type runner struct {
	jobs []*job
	wg   sync.WaitGroup
}

func render(rows int) string {
	time.Sleep(time.Millisecond)
	return strings.Repeat("=", rows)
}

func (r *runner) exec(j *job) {
	text := render(j.rows)
	r.wg.Done()
	if j.rows > 10 {
		text = text[:10] + "..."
	}
	j.output = text //race:job.output
}

// RunAll runs every job and returns their outputs, one per line.
func (r *runner) RunAll() string {
	r.wg.Add(len(r.jobs))
	for _, j := range r.jobs {
		go r.exec(j)
	}
	r.wg.Wait()
	return r.page()
}

func (r *runner) page() string {
	var b strings.Builder
	for _, j := range r.jobs {
		fmt.Fprintf(&b, "%s ", j.name)
		b.WriteString(j.output) //race:job.output
		b.WriteByte('\n')
	}
	return b.String()
}

func main() {
	r := &runner{jobs: []*job{
		{name: "daily", rows: 4}, {name: "weekly", rows: 28}, {name: "monthly", rows: 12},
	}}
	page := r.RunAll()
	time.Sleep(2 * time.Millisecond)
	fmt.Println(len(page) > 0)
}
