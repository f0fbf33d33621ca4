package sampler

import (
	"testing"
	"time"
)

func TestKeep(t *testing.T) {
	s := New(10)
	go s.Keep()
	time.Sleep(20 * time.Millisecond)
	t.Log(s.Keep())
}
