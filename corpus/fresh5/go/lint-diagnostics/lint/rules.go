package lint

import (
	"strings"
	"time"
)

// LongLines complains about lines that are too long.
var LongLines = &Analyzer{Name: "longlines", Run: func(p *Pass) {
	each(p, func(line string) bool { return len(line) > 20 })
}}

// Tabs complains about tabs.
var Tabs = &Analyzer{Name: "tabs", Run: func(p *Pass) {
	each(p, func(line string) bool { return strings.Contains(line, "\t") })
}}

func each(p *Pass, bad func(line string) bool) {
	for i, line := range p.Lines {
		if bad(line) {
			p.Report(i + 1)
		}
		time.Sleep(200 * time.Microsecond)
	}
}
