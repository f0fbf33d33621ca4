package views

import (
	"testing"
	"time"
)

func TestHitAndTotal(t *testing.T) {
	c := For("/pricing")
	for i := 0; i < 2; i++ {
		go func() {
			for k := 0; k < 4; k++ {
				c.Hit(1)
				time.Sleep(time.Millisecond)
			}
		}()
	}
	time.Sleep(3 * time.Millisecond)
	if c.Total() > 8 {
		t.Error("too many")
	}
	time.Sleep(10 * time.Millisecond)
}
