package link

import (
	"testing"
	"time"
)

func TestCloseAfterTraffic(t *testing.T) {
	l := Dial(3 * time.Millisecond)
	for i := 0; i < 3; i++ {
		l.Send([]byte("ping"))
		time.Sleep(time.Millisecond)
	}
	time.Sleep(4 * time.Millisecond)
	if got := l.Close(); got != Closed {
		t.Errorf("link is %s", got)
	}
}
