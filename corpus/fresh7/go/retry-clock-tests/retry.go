package retry

import (
	"errors"
	"time"
)

// sleep is replaced in tests.
var sleep = time.Sleep

// Policy says how often and how slowly to try again.
type Policy struct {
	Attempts int
	Base     time.Duration
}

// ErrGaveUp is returned after the last attempt.
var ErrGaveUp = errors.New("gave up")

func (p Policy) delay(attempt int) time.Duration {
	return p.Base << uint(attempt)
}

// Do calls f until it succeeds.
func (p Policy) Do(f func() error) error {
	for i := 0; i < p.Attempts; i++ {
		if f() == nil {
			return nil
		}
		sleep(p.delay(i)) //race:sleep
	}
	return ErrGaveUp
}
