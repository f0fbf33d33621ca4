package slot

import (
	"testing"
	"time"
)

func TestLend(t *testing.T) {
	slots := []*Slot{{owner: "ci"}}
	Lend(slots, "ci", func(*Slot) { time.Sleep(2 * time.Millisecond) })
	time.Sleep(10 * time.Millisecond)
	if Busiest(slots).Owner() == "nobody" {
		t.Fatal("owner")
	}
}
