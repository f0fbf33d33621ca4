package poller

import (
	"errors"
	"testing"
	"time"
)

func TestPollsAgainAfterAnError(t *testing.T) {
	calls := 0
	p := Start(func() (int, error) {
		calls++
		if calls < 3 {
			return 0, errors.New("not yet")
		}
		return calls, nil
	})
	defer p.Stop()
	old := pollInterval
	pollInterval = 50 * time.Microsecond  //race:pollInterval
	defer func() { pollInterval = old }() //race:pollInterval
	if n := <-p.last; n < 3 {
		t.Errorf("got %d", n)
	}
}
