package sender

import (
	"testing"
	"time"
)

func TestFlush(t *testing.T) {
	s := &Sender{}
	go s.Offer(1)
	time.Sleep(30 * time.Millisecond)
	t.Log(s.Flush())
}
