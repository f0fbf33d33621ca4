package jobpool

import (
	"testing"
	"time"
)

func TestDrain(t *testing.T) {
	p := &Pool{}
	p.Submit(func() { time.Sleep(100 * time.Millisecond) })
	p.Drain()
}
