package planner

import (
	"fmt"
	"strings"
)

// Column of a table.
type Column struct {
	Name  string
	Index bool
}

func normalise(cols []Column) {
	for i := range cols {
		cols[i].Name = strings.ToLower(cols[i].Name) //race:catalogue[]
	}
}

// Plan describes how a filter is run.
func Plan(table string, cols []Column, filter string) string {
	normalise(cols)
	filter = strings.ToLower(filter)
	for _, c := range cols { //race:catalogue[]
		if c.Name == filter && c.Index {
			return fmt.Sprintf("index scan %s(%s)", table, filter)
		}
	}
	return "seq scan " + table
}
