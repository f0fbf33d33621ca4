package replica

import (
	"testing"
	"time"
)

func waitFor(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Second); !ok(); {
		if time.Now().After(deadline) {
			t.Fatalf("%s never happened", what)
		}
		time.Sleep(100 * time.Microsecond)
	}
}

func TestReplica(t *testing.T) {
	r := Follow(t.Logf)
	t.Run("applies", func(t *testing.T) {
		waitFor(t, "a change", func() bool { return r.Applied() > 0 })
	})
	t.Run("goes on", func(t *testing.T) {
		waitFor(t, "another change", func() bool { return r.Applied() > 2 })
	})
	time.AfterFunc(2*time.Millisecond, r.Detach)
}

func TestDetach(t *testing.T) {
	r := Follow(func(string, ...any) {})
	r.Detach()
	time.Sleep(4 * time.Millisecond)
	if n := r.Applied(); n > 1 {
		t.Errorf("%d changes after the end", n)
	}
}
