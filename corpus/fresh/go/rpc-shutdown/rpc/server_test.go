package rpc

import (
	"testing"
	"time"
)

func echo(arg string) (string, error) { return arg, nil }

func TestShutdownDuringCalls(t *testing.T) {
	s := NewServer(map[string]Method{"echo": echo})
	go s.Serve()
	for i := 0; i < 4; i++ {
		s.Go("echo", "hello")
	}
	time.Sleep(3 * time.Millisecond)
	s.Shutdown()
	time.Sleep(15 * time.Millisecond)
}
