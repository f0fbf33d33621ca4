// Package jobs scans images.
package jobs

import (
	"strings"
	"sync"
)

// Job is the scan of one image.
type Job struct {
	Image    string
	findings int
}

// Pool runs jobs.
type Pool struct {
	wg    sync.WaitGroup
	rules []string
}

// NewPool makes a pool with rules.
func NewPool(rules ...string) *Pool { return &Pool{rules: rules} }

// Submit starts a scan.
func (p *Pool) Submit(j *Job, content string) {
	p.wg.Add(1)
	go p.scan(j, content)
}

func (p *Pool) scan(j *Job, content string) {
	n := 0
	for _, rule := range p.rules {
		n += strings.Count(content, rule)
	}
	p.wg.Done()
	j.findings = n //race:Job.findings
}

// Wait returns when all scans are over.
func (p *Pool) Wait() { p.wg.Wait() }
