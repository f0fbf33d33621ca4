package broker

import (
	"errors"
	"testing"
	"time"
)

func TestShutdown(t *testing.T) {
	odd := errors.New("odd")
	b := New(func(id int) error {
		time.Sleep(4 * time.Millisecond)
		if id%2 == 1 {
			return odd
		}
		return nil
	})
	b.Publish(1)
	b.Publish(2)
	time.Sleep(16 * time.Millisecond)
	b.Shutdown()
}
