package outbox

import (
	"testing"
	"time"
)

func TestStop(t *testing.T) {
	o := New(4)
	go o.Send("hello")
	time.Sleep(20 * time.Millisecond)
	o.Stop()
}
