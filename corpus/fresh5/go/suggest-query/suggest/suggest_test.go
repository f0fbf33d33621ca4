package suggest

import (
	"testing"
	"time"
)

func TestFirstOfTwo(t *testing.T) {
	quick := Words{List: []string{"kayak", "kazoo"}, Delay: time.Millisecond}
	slow := Words{List: []string{"kale"}, Delay: 5 * time.Millisecond}
	if n, _ := First("ka", quick, slow); n == 0 {
		t.Error("nothing found")
	}
	time.Sleep(12 * time.Millisecond)
}
