package main

import (
	"fmt"
	"strings"
	"sync"
)

type finding struct {
	rule string
	line int
	text string
}

// pass is one run of the rules over a file.
type pass struct {
	file     string
	lines    []string
	findings []finding
}

func (p *pass) reportf(rule string, line int, format string, args ...interface{}) {
	p.findings = append(p.findings, finding{rule, line, fmt.Sprintf(format, args...)}) //race:pass.findings
}

type rule interface {
	check(p *pass)
}

type maxLength int

func (m maxLength) check(p *pass) {
	for i, l := range p.lines {
		if len(l) > int(m) {
			p.reportf("length", i+1, "%d characters", len(l))
		}
	}
}

type noTabs struct{}

func (noTabs) check(p *pass) {
	for i, l := range p.lines {
		if strings.Contains(l, "\t") {
			p.reportf("tabs", i+1, "tab at %d", strings.Index(l, "\t"))
		}
	}
}

func runRules(p *pass, rules ...rule) int {
	var wg sync.WaitGroup
	start := make(chan struct{})
	for _, r := range rules {
		wg.Add(1)
		go func(r rule) {
			defer wg.Done()
			<-start
			r.check(p)
		}(r)
	}
	close(start)
	wg.Wait()
	return len(p.findings)
}

func main() {
	p := &pass{file: "a.cfg", lines: []string{"key:\tvalue", "a long line of text", "\tx"}}
	fmt.Println("findings:", runRules(p, maxLength(8), noTabs{}) > 0)
}
