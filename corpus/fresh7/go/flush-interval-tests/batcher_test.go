package batcher

import (
	"testing"
	"time"
)

func fastFlush(t *testing.T) {
	old := flushInterval
	flushInterval = 500 * time.Microsecond //race:flushInterval
	t.Cleanup(func() {
		flushInterval = old //race:flushInterval
	})
}

func TestFlushes(t *testing.T) {
	got := make(chan []string, 8)
	b := New(func(batch []string) { got <- batch })
	time.Sleep(time.Millisecond)
	fastFlush(t)
	b.Add("a")
	select {
	case <-got:
	case <-time.After(time.Second):
		t.Error("nothing was flushed")
	}
	time.Sleep(3 * time.Millisecond)
}
