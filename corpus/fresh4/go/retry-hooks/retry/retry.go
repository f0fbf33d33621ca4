// Package retry tries again.
package retry

import "time"

var (
	backoff  = 2 * time.Millisecond
	attempts = 3
)

// Do calls f until it succeeds.
func Do(f func() bool) bool {
	for i := 0; i < attempts; i++ { //race:attempts
		if f() {
			return true
		}
		time.Sleep(backoff) //race:backoff
	}
	return false
}

// Background is Do in a goroutine of its own.
func Background(f func() bool) <-chan bool {
	out := make(chan bool, 1)
	go func() {
		out <- Do(f)
	}()
	return out
}
