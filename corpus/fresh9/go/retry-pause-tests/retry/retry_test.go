package retry

import (
	"errors"
	"testing"
	"time"
)

func withPause(t *testing.T, d time.Duration) {
	t.Helper()
	old := pause
	pause = d                         //race:pause
	t.Cleanup(func() { pause = old }) //race:pause
}

func TestAsyncRetries(t *testing.T) {
	calls := make(chan int, 8)
	n := 0
	result := Async(4, func() error {
		n++
		calls <- n
		if n < 3 {
			return errors.New("503")
		}
		return nil
	})
	<-calls
	withPause(t, time.Millisecond)
	if err := <-result; err != nil {
		t.Fatal(err)
	}
}

func TestDoGivesUp(t *testing.T) {
	withPause(t, time.Microsecond)
	if err := Do(2, func() error { return errors.New("500") }); !errors.Is(err, ErrGiveUp) {
		t.Fatal(err)
	}
}
