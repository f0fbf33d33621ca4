package hub

import (
	"testing"
	"time"
)

type nopConn struct{}

func (nopConn) Write(p []byte) (int, error) { return len(p), nil }
func (nopConn) Close() error                { return nil }

func TestSendThenClose(t *testing.T) {
	s := NewSession("c-1", nopConn{}, time.Millisecond)
	for i := 0; i < 5; i++ {
		s.Send("hello\n")
	}
	time.Sleep(4 * time.Millisecond)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}
