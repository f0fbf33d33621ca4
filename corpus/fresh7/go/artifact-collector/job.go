package main

import (
	"path"
	"sync"
)

type artifact struct {
	step string
	path string
	size int64
}

type step struct {
	name    string
	outputs map[string]int64
	needs   []string
}

// stage is a set of steps without dependencies between them.
type stage struct {
	steps []step
}

type job struct {
	id        string
	root      string
	stages    []stage
	artifacts []artifact
}

func (j *job) collect(s step) int64 {
	var bytes int64
	for name, size := range s.outputs {
		j.artifacts = append(j.artifacts, artifact{step: s.name, path: path.Join(j.root, name), size: size}) //race:job.artifacts
		bytes += size
	}
	return bytes
}

type runner struct {
	parallel bool
	bytes    chan int64
}

func (r *runner) runStage(j *job, st stage) {
	var wg sync.WaitGroup
	gate := make(chan struct{})
	for i := range st.steps {
		wg.Add(1)
		go func(s step) {
			defer wg.Done()
			<-gate
			r.bytes <- j.collect(s)
		}(st.steps[i])
	}
	close(gate)
	wg.Wait()
}

func (r *runner) run(j *job) int64 {
	for _, st := range j.stages {
		r.runStage(j, st)
	}
	close(r.bytes)
	var total int64
	for n := range r.bytes {
		total += n
	}
	return total
}
