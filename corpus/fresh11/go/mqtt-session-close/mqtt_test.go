package mqtt

import (
	"sync/atomic"
	"testing"
	"time"
)

type broker struct{ pings atomic.Int32 }

func (b *broker) Write(p []byte) (int, error) {
	if p[0] == 0xC0 {
		b.pings.Add(1)
	}
	return len(p), nil
}

func (b *broker) Close() error { return nil }

func TestPings(t *testing.T) {
	b := &broker{}
	s := Connect(b, time.Millisecond)
	time.Sleep(6 * time.Millisecond)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(3 * time.Millisecond)
	if b.pings.Load() == 0 {
		t.Error("no ping")
	}
}
