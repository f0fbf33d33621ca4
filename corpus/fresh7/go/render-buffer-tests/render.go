package render

import (
	"fmt"
	"io"
	"sort"
)

// Table is a table of text.
type Table struct {
	Columns []string
	Rows    []map[string]string
}

func (t Table) header(w io.Writer) {
	for _, c := range t.Columns {
		fmt.Fprintf(w, "%-8s", c) //race:out
	}
	fmt.Fprintln(w) //race:out
}

// Write renders a table.
func (t Table) Write(w io.Writer) error {
	cols := append([]string(nil), t.Columns...)
	sort.Strings(cols)
	Table{Columns: cols}.header(w)
	for _, row := range t.Rows {
		for _, c := range cols {
			if _, err := fmt.Fprintf(w, "%-8s", row[c]); err != nil { //race:out
				return err
			}
		}
		fmt.Fprintln(w) //race:out
	}
	return nil
}
