package epoch

import (
	"testing"
	"time"
)

func TestTurnUnderLoad(t *testing.T) {
	r := &Recorder{name: "reads"}
	stop := make(chan struct{})
	go func() {
		tick := time.NewTicker(3 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				r.Hit()
			case <-stop:
				return
			}
		}
	}()
	time.Sleep(10 * time.Millisecond)
	r.Turn(2)
	time.Sleep(10 * time.Millisecond)
	close(stop)
}
