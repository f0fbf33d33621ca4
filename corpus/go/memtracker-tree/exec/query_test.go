package exec

import (
	"testing"
	"time"
)

func TestResetWhileRunning(t *testing.T) {
	q := NewQuery()
	go q.Run()
	time.Sleep(40 * time.Millisecond)
	q.Reset()
}
