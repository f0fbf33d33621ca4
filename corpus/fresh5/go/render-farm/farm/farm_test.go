package farm

import (
	"testing"
	"time"
)

func TestSettle(t *testing.T) {
	f := New(2)
	f.Enqueue(0, 3)
	time.Sleep(2 * time.Millisecond)
	f.Settle()
	if len(f.slots) != 0 {
		t.Error("slots in use")
	}
}
