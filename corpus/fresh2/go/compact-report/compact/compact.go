// Package compact makes small files into large ones.
package compact

import (
	"errors"
	"time"
)

// ErrLate is returned when there was not enough time.
var ErrLate = errors.New("compact: out of time")

// Report says what was done.
type Report struct {
	files int
	bytes int64
}

func (r *Report) add(size int64) {
	r.files++       //race:Report.files
	r.bytes += size //race:Report.bytes
}

// Files is how many files were read.
func (r *Report) Files() int {
	return r.files //race:Report.files
}

// Bytes is how large they were.
func (r *Report) Bytes() int64 {
	return r.bytes //race:Report.bytes
}

// Merge reads one file.
type Merge func(file string) int64

// Compact merges files into one until the time is over.
func Compact(files []string, merge Merge, limit time.Duration, r *Report) error {
	done := make(chan struct{})
	go func() {
		defer close(done)
		for _, file := range files {
			r.add(merge(file))
		}
	}()
	select {
	case <-done:
		return nil
	case <-time.After(limit):
		return ErrLate
	}
}
