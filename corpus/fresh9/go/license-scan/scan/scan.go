package scan

import (
	"strings"
	"sync"
)

// Source lists the files of a module with their first line.
type Source interface {
	Files(module string) map[string]string
}

// Scanner looks through modules for license headers.
type Scanner struct {
	Source  Source
	Workers int
}

// Run scans all the modules and returns when every one is done.
func (s *Scanner) Run(root string, modules []string) *Report {
	report := &Report{Root: root}
	queue := make(chan string, len(modules))
	for _, m := range modules {
		queue <- m
	}
	close(queue)

	var wg sync.WaitGroup
	for i := 0; i < s.Workers; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for m := range queue {
				s.scanModule(m, report)
			}
		}()
	}
	wg.Wait()
	return report
}

func (s *Scanner) scanModule(module string, report *Report) {
	for name, line := range s.Source.Files(module) {
		if license := classify(line); license != "" {
			report.add(Finding{Module: module, File: name, License: license})
		}
	}
}

func classify(line string) string {
	switch {
	case strings.Contains(line, "Apache License"):
		return "Apache-2.0"
	case strings.Contains(line, "GNU"):
		return "GPL"
	case strings.Contains(line, "Permission is hereby granted"):
		return "MIT"
	}
	return ""
}
