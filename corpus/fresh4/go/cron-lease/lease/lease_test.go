package lease

import (
	"testing"
	"time"
)

func TestRenewAtTheLastMoment(t *testing.T) {
	l := Grant("one", 5*time.Millisecond, func(string) {
		time.Sleep(6 * time.Millisecond)
	})
	time.Sleep(8 * time.Millisecond)
	l.Renew("two")
	time.Sleep(20 * time.Millisecond)
}
