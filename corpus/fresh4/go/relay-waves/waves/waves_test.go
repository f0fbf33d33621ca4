package waves

import (
	"testing"
	"time"
)

func TestTwoWaves(t *testing.T) {
	w := &Waves{cost: 8 * time.Millisecond}
	w.Send(2)
	go func() {
		w.Settle()
		time.Sleep(40 * time.Millisecond)
	}()
	time.Sleep(20 * time.Millisecond)
	w.Send(1)
	time.Sleep(15 * time.Millisecond)
}
