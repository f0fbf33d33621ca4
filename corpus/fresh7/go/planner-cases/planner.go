package planner

import (
	"fmt"
	"time"
)

// Options say how a query is planned.
type Options struct {
	Limit   int
	Indexes []string
}

// Plan is how a query will run.
type Plan struct {
	Steps []string
	Rows  int
}

func chooseIndex(o *Options, column string) string {
	for _, name := range o.Indexes {
		if name == column {
			return "index " + name
		}
	}
	return "scan"
}

// Build plans a query over one column.
func Build(o *Options, column string, rows int) Plan {
	p := Plan{Rows: rows}
	p.Steps = append(p.Steps, chooseIndex(o, column))
	time.Sleep(time.Millisecond)
	if o.Limit > 0 && rows > o.Limit { //race:Options.Limit
		p.Steps = append(p.Steps, fmt.Sprintf("limit %d", o.Limit)) //race:Options.Limit
		p.Rows = o.Limit                                            //race:Options.Limit
	}
	return p
}
