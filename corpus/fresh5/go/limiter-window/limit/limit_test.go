package limit

import (
	"testing"
	"time"
)

func TestAllowAcrossWindows(t *testing.T) {
	l := New(100)
	go func() {
		for i := 0; i < 10; i++ {
			l.Allow()
			time.Sleep(time.Millisecond)
		}
	}()
	for i := 0; i < 3; i++ {
		time.Sleep(2 * time.Millisecond)
		l.Roll()
	}
	if !l.Allow() {
		t.Error("refused")
	}
	time.Sleep(10 * time.Millisecond)
}
