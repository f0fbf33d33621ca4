package mailroom

import (
	"testing"
	"time"
)

func TestShift(t *testing.T) {
	room := Open(1, 4*time.Millisecond)
	boss := Supervisor{Room: room, Limit: 100}
	go func() {
		for i := 0; i < 4; i++ {
			room.Accept(Letter{"x", i})
			time.Sleep(3 * time.Millisecond)
		}
	}()
	time.Sleep(8 * time.Millisecond)
	if boss.Overloaded() {
		t.Error("overloaded")
	}
	boss.SendHome(8 * time.Millisecond)
	time.Sleep(10 * time.Millisecond)
}
