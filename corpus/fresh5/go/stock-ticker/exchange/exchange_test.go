package exchange

import (
	"testing"
	"time"
)

func TestCancelDuringTrade(t *testing.T) {
	e := new(Exchange)
	s := e.Subscribe(64)
	go e.Trade("ACME", 12)
	time.Sleep(5 * time.Millisecond)
	s.Cancel()
	time.Sleep(12 * time.Millisecond)
	if len(e.snapshot()) != 1 {
		t.Error("subscribers")
	}
}
