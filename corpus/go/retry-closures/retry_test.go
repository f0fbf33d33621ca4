package retry

import (
	"testing"
	"time"
)

func TestRun(t *testing.T) {
	q := &Queue{}
	stop := make(chan struct{})
	q.Run(stop)
	time.Sleep(20 * time.Millisecond)
	t.Log(q.Attempts())
	close(stop)
}
