package lease

import (
	"testing"
	"time"
)

func TestRenew(t *testing.T) {
	l := Grant(5 * time.Millisecond)
	time.Sleep(30 * time.Millisecond)
	l.Renew(time.Hour)
}
