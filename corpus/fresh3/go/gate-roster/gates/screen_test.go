package gates

import (
	"testing"
	"time"
)

func TestScreens(t *testing.T) {
	roster := NewRoster(func(hour int) int { return 10 * hour })
	lines := make(chan string, 2)
	go func() {
		lines <- Screen{roster}.Line("LH 4", 3)
		time.Sleep(10 * time.Millisecond)
	}()
	time.Sleep(4 * time.Millisecond)
	lines <- Screen{roster}.Line("AF 12", 8)
	for i := 0; i < cap(lines); i++ {
		if line := <-lines; len(line) < 6 {
			t.Errorf("short line %q", line)
		}
	}
}
