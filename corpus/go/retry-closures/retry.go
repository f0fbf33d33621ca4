package retry

import "time"

// Until calls f again and again until stop is closed.
func Until(f func(), period time.Duration, stop <-chan struct{}) {
	BackoffUntil(f, func() time.Duration { return period }, stop)
}

// BackoffUntil is Until with a changing period.
func BackoffUntil(f func(), next func() time.Duration, stop <-chan struct{}) {
	for {
		select {
		case <-stop:
			return
		default:
		}
		func() {
			defer func() { _ = recover() }()
			f()
		}()
		time.Sleep(next())
	}
}

// Queue counts its attempts.
type Queue struct {
	attempts int
}

// Run works until stop is closed.
func (q *Queue) Run(stop <-chan struct{}) {
	go Until(func() {
		q.attempts++ //race:attempts
	}, time.Millisecond, stop)
}

// Attempts returns the count.
func (q *Queue) Attempts() int {
	return q.attempts //race:attempts
}
