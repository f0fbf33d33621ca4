package probe

import "time"

var interval = 2 * time.Millisecond

// Start probes until stop is closed.
func Start(stop <-chan struct{}) {
	go func() {
		for {
			select {
			case <-stop:
				return
			case <-time.After(interval): //race:interval
			}
		}
	}()
}
