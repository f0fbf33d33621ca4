package schema

import (
	"sort"
	"strings"
)

// Table is a table with its columns.
type Table struct {
	Name    string
	Columns []string
}

// DDL prints a table.
func DDL(t Table) string {
	return "create table " + t.Name + " (" + strings.Join(t.Columns, ", ") + ")"
}

// Normalise brings a statement into one form.
func Normalise(ddl string) string {
	open, end := strings.Index(ddl, "("), strings.LastIndex(ddl, ")")
	columns := strings.Split(ddl[open+1:end], ",")
	for i := range columns {
		columns[i] = strings.ToLower(strings.TrimSpace(columns[i]))
	}
	sort.Strings(columns)
	return strings.ToLower(ddl[:open]) + "(" + strings.Join(columns, ", ") + ")"
}
