package bank

import (
	"testing"
	"time"
)

func TestPayWhileMoneyMoves(t *testing.T) {
	b := &Bank{}
	giro := b.Open("DE01", 10000)
	b.Open("DE02", 500)
	done := make(chan error)
	go func() {
		time.Sleep(2 * time.Millisecond)
		done <- b.Transfer("DE01", "DE02", 700)
	}()
	time.Sleep(6 * time.Millisecond)
	if err := giro.Pay(1200); err != nil {
		t.Error(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}
