package guide

import (
	"testing"
	"time"
)

func TestWalk(t *testing.T) {
	tour := NewTour(map[int]string{1: "a vase", 2: "a throne", 3: "a door"}, 3*time.Millisecond)
	for room := 1; room <= 2; room++ {
		tour.Enter(room)
		time.Sleep(5 * time.Millisecond)
	}
	time.Sleep(10 * time.Millisecond)
	if n := len(tour.player.heard); n > 2 {
		t.Fatalf("heard %d", n)
	}
}
