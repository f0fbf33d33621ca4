package plugin

import (
	"testing"
	"time"
)

func first(input string) int {
	time.Sleep(4 * time.Millisecond)
	return int(input[0])
}

func TestBrokenPlugin(t *testing.T) {
	h := &Host{rest: 30 * time.Millisecond}
	h.Launch("first", first, "")
	time.Sleep(14 * time.Millisecond)
	if _, n := h.Health(); n > 1 {
		t.Fatal(n)
	}
}
