package alarm

import (
	"testing"
	"time"
)

func TestRing(t *testing.T) {
	c := &Clock{alarms: make(alarms, 0, 8)}
	c.Set(Alarm{2, "tea"})
	c.Set(Alarm{1, "eggs"})
	go func() {
		time.Sleep(3 * time.Millisecond)
		c.Set(Alarm{3, "bread"})
		time.Sleep(20 * time.Millisecond)
	}()
	time.Sleep(8 * time.Millisecond)
	if n := len(c.Due(1)); n > 1 {
		t.Fatalf("%d alarms", n)
	}
}
