package flags

import (
	"testing"
	"time"
)

func TestRampUp(t *testing.T) {
	store := NewStore(Flag{"new-checkout", 0}, Flag{"dark-mode", 100})
	eval := NewEvaluator(store)

	done := make(chan struct{})
	go func() {
		defer close(done)
		for p := 0; p <= 100; p += 10 {
			store.Patch("new-checkout", p)
			time.Sleep(time.Millisecond)
		}
	}()

	deadline := time.After(2 * time.Second)
	for !eval.Enabled("new-checkout", "unit-17") {
		select {
		case <-deadline:
			t.Fatal("never enabled")
		case <-time.After(500 * time.Microsecond):
		}
	}
	<-done
}
