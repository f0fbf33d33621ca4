package delay

import "time"

// Clock tells the time.
type Clock interface{ Now() time.Time }

type entry struct {
	id  string
	due time.Time
}

// Queue holds items until they are due.
type Queue struct {
	clock   Clock
	entries []entry
}

// NewQueue makes an empty queue.
func NewQueue(c Clock) *Queue { return &Queue{clock: c} }

// Push adds an item that is due after a while.
func (q *Queue) Push(id string, after time.Duration) {
	q.entries = append(q.entries, entry{id, q.clock.Now().Add(after)})
}

// Pop removes and returns what is due.
func (q *Queue) Pop() []string {
	now := q.clock.Now()
	var ready []string
	var rest []entry
	for _, e := range q.entries {
		if e.due.After(now) {
			rest = append(rest, e)
			continue
		}
		ready = append(ready, e.id)
	}
	q.entries = rest
	return ready
}
