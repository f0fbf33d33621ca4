package probe

import (
	"testing"
	"time"
)

func TestStart(t *testing.T) {
	Start(make(chan struct{}))
}

func TestInterval(t *testing.T) {
	old := interval
	defer func() { interval = old }() //race:interval
	time.Sleep(10 * time.Millisecond)
	interval = time.Millisecond //race:interval
}
