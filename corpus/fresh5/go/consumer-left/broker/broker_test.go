package broker

import (
	"testing"
	"time"
)

func TestConsume(t *testing.T) {
	c := Default.Consume("orders")
	if c == nil {
		t.Fatal("no consumer")
	}
	time.Sleep(4 * time.Millisecond)
}

func TestStatsStartAtZero(t *testing.T) {
	Default.Stats.Delivered = 0 //race:Stats.Delivered
	Default.Stats.Bytes = 0     //race:Stats.Bytes
	time.Sleep(6 * time.Millisecond)
}
