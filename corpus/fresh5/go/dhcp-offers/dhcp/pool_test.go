package dhcp

import (
	"testing"
	"time"
)

func TestAcceptAtTheLastMoment(t *testing.T) {
	l := &Lease{IP: "192.0.2.7"}
	l.Offer("02:00:5e:10:00:01", 5*time.Millisecond)
	time.Sleep(7 * time.Millisecond)
	if l.Accept("02:00:5e:10:00:01") {
		t.Log("bound", l.IP)
	}
	time.Sleep(10 * time.Millisecond)
}
