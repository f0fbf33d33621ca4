package render

import (
	"fmt"
	"io"
	"strings"
)

// Column is a column of a table.
type Column struct {
	Title string
	Width int
}

// Table writes rows in fixed columns.
type Table struct {
	Columns []Column
	Out     io.Writer
}

// Header writes the titles.
func (t *Table) Header() error {
	var titles []string
	for _, c := range t.Columns {
		titles = append(titles, c.Title)
	}
	return t.Row(titles...)
}

// Row writes one row.
func (t *Table) Row(cells ...string) error {
	var sb strings.Builder
	for i, c := range cells {
		fmt.Fprintf(&sb, "%-*s", t.Columns[i].Width, c)
	}
	sb.WriteByte('\n')
	_, err := io.WriteString(t.Out, sb.String()) //race:suite.out
	return err
}
