package ring

import "testing"

func TestDrainWhilePushing(t *testing.T) {
	r := New[float64](8)
	done := make(chan struct{})
	go func() {
		defer close(done)
		r.Push(1.5)
	}()
	Drain(r, "cpu", func(key string, v float64) { t.Log(key, v) })
	<-done
}
