package usage

import (
	"testing"
	"time"
)

func TestBillWhileCounting(t *testing.T) {
	var c Collector
	c.Count("acme", 1)
	go func() {
		for i := 0; i < 10; i++ {
			c.Count("acme", 512)
			time.Sleep(time.Millisecond)
		}
		time.Sleep(10 * time.Millisecond)
	}()
	time.Sleep(5 * time.Millisecond)
	if len(c.Bill()) != 1 {
		t.Error("tenants")
	}
	time.Sleep(10 * time.Millisecond)
}
