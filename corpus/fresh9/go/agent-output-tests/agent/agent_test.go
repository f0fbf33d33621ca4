package agent

import (
	"sync/atomic"
	"testing"
	"time"
)

func TestAgent(t *testing.T) {
	a := Start("edge-1", 3*time.Millisecond, t.Logf)
	t.Run("name", func(t *testing.T) {
		if a.name != "edge-1" {
			t.Error(a.name)
		}
	})
	t.Run("beats", func(t *testing.T) {
		time.Sleep(4 * time.Millisecond)
		if atomic.LoadInt64(&a.beats) > 2 {
			t.Error("too fast")
		}
	})
}

func TestStop(t *testing.T) {
	a := Start("edge-2", time.Millisecond, func(string, ...any) {})
	time.Sleep(10 * time.Millisecond)
	a.Stop()
}
