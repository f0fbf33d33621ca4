package wire

import (
	"testing"
	"time"
)

type discard struct{}

func (discard) WriteFrame([]byte) error { return nil }

func TestSendMany(t *testing.T) {
	s := NewSender(discard{})
	for i := uint32(1); i <= 12; i++ {
		s.Send(i, []byte("the quick brown fox"))
		time.Sleep(2 * time.Millisecond)
	}
}
