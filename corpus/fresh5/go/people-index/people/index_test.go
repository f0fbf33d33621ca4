package people

import (
	"testing"
	"time"
)

func TestHireDuringLookups(t *testing.T) {
	x := NewIndex()
	go func() {
		for i := 0; i < 8; i++ {
			x.Hire(&Person{Name: string(rune('A' + i)), Mail: string(rune('a' + i))})
			time.Sleep(time.Millisecond)
		}
		time.Sleep(10 * time.Millisecond)
	}()
	time.Sleep(3 * time.Millisecond)
	known := x.Knows("A")
	open := x.Accepts("a")
	time.Sleep(10 * time.Millisecond)
	if known != open {
		t.Log("half a person")
	}
}
