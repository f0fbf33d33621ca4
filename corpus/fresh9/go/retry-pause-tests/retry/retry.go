package retry

import (
	"errors"
	"time"
)

var pause = 20 * time.Millisecond

// ErrGiveUp is returned after the last attempt.
var ErrGiveUp = errors.New("giving up")

// Do calls f until it works or the attempts are over.
func Do(attempts int, f func() error) error {
	for i := 0; i < attempts; i++ {
		if f() == nil {
			return nil
		}
		time.Sleep(pause) //race:pause
	}
	return ErrGiveUp
}

// Async is Do in the background.
func Async(attempts int, f func() error) <-chan error {
	ch := make(chan error, 1)
	go func() { ch <- Do(attempts, f) }()
	return ch
}
