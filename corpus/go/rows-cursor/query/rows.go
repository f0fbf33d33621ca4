// Package query hands rows to clients.
package query

import "github.com/deadheat-corpus/cursor/iter"

// Rows is the result of a query.
type Rows struct {
	it iter.Iterator
}

// Open runs the query.
func Open() *Rows {
	source := iter.Scan(iter.Row{1, 2}, iter.Row{3, 4})
	return &Rows{iter.Project(iter.Filter(source, func(r iter.Row) bool { return r[0] > 0 }), 1)}
}

// All reads every row.
func (r *Rows) All() []iter.Row {
	var all []iter.Row
	for row := r.fetch(); row != nil; row = r.fetch() {
		all = append(all, row)
	}
	return all
}

func (r *Rows) fetch() iter.Row {
	return r.it.Next()
}

// Cancel closes the result.
func (r *Rows) Cancel() {
	r.it.Close()
}
