package scan

import "fmt"

// Finding is one file with a license that we care about.
type Finding struct {
	Module  string
	File    string
	License string
}

// Report collects what a scan has found.
type Report struct {
	Root     string
	Findings []Finding
}

func (r *Report) add(f Finding) {
	r.Findings = append(r.Findings, f) //race:Report.Findings
}

// Summary is one line for the CI log.
func (r *Report) Summary() string {
	return fmt.Sprintf("%s: %d findings", r.Root, len(r.Findings))
}
