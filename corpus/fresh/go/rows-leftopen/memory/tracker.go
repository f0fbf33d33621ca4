// Package memory counts what a statement uses.
package memory

// Tracker is the account of one session; it is reset between statements.
type Tracker struct {
	label    string
	consumed int64
	limit    int64
}

// NewTracker returns an account with a limit.
func NewTracker(label string, limit int64) *Tracker {
	return &Tracker{label: label, limit: limit}
}

// Consume adds bytes and says whether the limit still holds.
func (t *Tracker) Consume(bytes int64) bool {
	t.consumed += bytes //race:Tracker.consumed
	return t.consumed <= t.limit
}

// Reset starts a new statement.
func (t *Tracker) Reset() {
	t.consumed = 0 //race:Tracker.consumed
}
