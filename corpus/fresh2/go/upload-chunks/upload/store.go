// Package upload sends large files in chunks.
package upload

import "time"

// Store keeps chunks.
type Store interface {
	Put(part int, offset int64, data []byte) error
}

// Slow is a store that is far away.
type Slow struct {
	Lag time.Duration
}

// Put takes its time.
func (s Slow) Put(part int, offset int64, data []byte) error {
	time.Sleep(s.Lag)
	return nil
}
