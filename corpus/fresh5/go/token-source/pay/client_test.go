package pay

import (
	"sync"
	"testing"
	"time"
)

func TestChargeAndRefund(t *testing.T) {
	issued := &Token{Value: "abc"}
	c := NewClient("https://pay.example", func() *Token {
		time.Sleep(4 * time.Millisecond)
		return issued
	})
	var wg sync.WaitGroup
	wg.Add(2)
	go func() {
		defer wg.Done()
		if _, err := c.Charge("4242", 100); err != nil {
			t.Error(err)
		}
		time.Sleep(5 * time.Millisecond)
	}()
	go func() {
		defer wg.Done()
		if _, err := c.Refund("ch_1"); err != nil {
			t.Error(err)
		}
		time.Sleep(5 * time.Millisecond)
	}()
	wg.Wait()
}
