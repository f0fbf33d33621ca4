package route

import (
	"testing"
	"time"
)

func newWorld(t *testing.T) *World {
	t.Helper()
	w := &World{cities: make([]string, 0, 16)}
	t.Cleanup(func() { time.Sleep(time.Millisecond) })
	return w
}

func testFounding(w *World, name string, wait time.Duration) func(*testing.T) {
	return func(t *testing.T) {
		t.Parallel()
		time.Sleep(wait)
		if w.Found(name) != len(name) {
			t.Error(name)
		}
		w.Visit()
		time.Sleep(25 * time.Millisecond)
	}
}

func TestWorld(t *testing.T) {
	world := newWorld(t)
	t.Run("rome", testFounding(world, "rome", 2*time.Millisecond))
	t.Run("oslo", testFounding(world, "oslo", 11*time.Millisecond))
}
