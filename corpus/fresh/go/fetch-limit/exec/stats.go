package exec

import "fmt"

// RuntimeStats says what an executor did.
type RuntimeStats struct {
	name string
	rows int64
	cost int64
}

// Record adds one chunk.
func (r *RuntimeStats) Record(rows int) {
	r.rows += int64(rows) //race:RuntimeStats.rows
}

// String is the line of the slow log.
func (r *RuntimeStats) String() string {
	return fmt.Sprintf("%s rows:%d", r.name, r.rows) //race:RuntimeStats.rows
}
