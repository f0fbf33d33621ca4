// Package plan chooses how a query is run.
package plan

import "github.com/deadheat-corpus/plannerhistograms/stats"

// Operator is a step of a plan.
type Operator interface {
	Rows() int64
	Cost() int64
}

// Scan reads a table.
type Scan struct {
	Column *stats.Histogram
}

// Rows is how many it gives.
func (s *Scan) Rows() int64 { return s.Column.Rows() }

// Cost is how much it reads.
func (s *Scan) Cost() int64 { return s.Rows() * 2 }

// Filter keeps small values.
type Filter struct {
	Input Operator
	On    *stats.Histogram
	Limit int64
}

// Rows is how many it keeps.
func (f *Filter) Rows() int64 { return f.On.Below(f.Limit) }

// Cost is that of its input and a test for each row.
func (f *Filter) Cost() int64 { return f.Input.Cost() + f.Rows() }

// Join pairs rows.
type Join struct {
	Left, Right Operator
}

// Rows is the size of the smaller side.
func (j *Join) Rows() int64 {
	left, right := j.Left.Rows(), j.Right.Rows()
	if left < right {
		return left
	}
	return right
}

// Cost is that of both sides and of the hash table.
func (j *Join) Cost() int64 {
	return j.Left.Cost() + j.Right.Cost() + j.Rows()
}
