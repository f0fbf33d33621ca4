// Package exec runs a query.
package exec

import "github.com/deadheat-corpus/memtracker/memory"

// Query is a query with its trackers.
type Query struct {
	session, stmt, plan, sort *memory.Tracker
}

// NewQuery builds the trackers of a query.
func NewQuery() *Query {
	q := &Query{session: memory.New("session", nil)}
	q.stmt = memory.New("stmt", q.session)
	q.plan = memory.New("plan", q.stmt)
	q.sort = memory.New("sort", q.plan)
	return q
}

// Run runs the query and says what it did.
func (q *Query) Run() string {
	s := &Sort{[]int{3, 1}, q.sort}
	s.Next()
	return q.describe()
}

func (q *Query) describe() string {
	return q.stmt.Label() + "/" + q.sort.Label()
}

// Reset prepares the query's trackers for the next statement.
func (q *Query) Reset() {
	q.detach(q.stmt)
	q.stmt.SetLabel("stmt-2")
}

func (q *Query) detach(t *memory.Tracker) {
	t.AttachTo(nil)
}
