package settings

import (
	"strconv"
	"testing"
	"time"
)

func TestOverrideWhileServing(t *testing.T) {
	var s Settings
	s.Load(map[string]string{"workers": "4", "region": "north"})
	stop := make(chan struct{})
	served := make(chan int)
	go func() {
		n := 0
		for {
			select {
			case <-stop:
				served <- n
				return
			default:
				n += s.Int("workers", 1)
				time.Sleep(50 * time.Microsecond)
			}
		}
	}()
	for i := 1; i < 10; i++ {
		s.Override("workers", strconv.Itoa(i))
		time.Sleep(100 * time.Microsecond)
	}
	close(stop)
	if <-served == 0 {
		t.Error("nothing was served")
	}
}
