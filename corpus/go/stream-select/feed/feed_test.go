package feed

import (
	"testing"
	"time"
)

func TestState(t *testing.T) {
	f := New()
	f.Push(4)
	time.Sleep(20 * time.Millisecond)
	f.Stop()
	time.Sleep(20 * time.Millisecond)
	t.Log(f.State())
}
