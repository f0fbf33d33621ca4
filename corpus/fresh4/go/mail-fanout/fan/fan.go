// Package fan sends a letter to many.
package fan

import (
	"sync"
	"time"
)

// Sender delivers a letter.
type Sender interface {
	Deliver(place int, rcpt string)
}

// Fan sends a letter to each of the recipients.
func Fan(rcpts []string, s Sender, gap time.Duration) {
	var wg sync.WaitGroup
	for at, rcpt := range rcpts { //race:Fan.at,Fan.rcpt
		wg.Add(1)
		go func() {
			defer wg.Done()
			place := at //race:Fan.at
			to := rcpt  //race:Fan.rcpt
			s.Deliver(place, to)
		}()
		time.Sleep(gap)
	}
	wg.Wait()
}
