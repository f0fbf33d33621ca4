package limiter

import (
	"testing"
	"time"
)

func TestReset(t *testing.T) {
	l := &Limiter{max: 4}
	go l.Reset()
	time.Sleep(20 * time.Millisecond)
	if err := l.Do(func() error { return nil }); err != nil {
		t.Log(err)
	}
}
