package puzzle

import (
	"testing"
	"time"
)

func TestWeekend(t *testing.T) {
	press := &Press{Maker: NewMaker(7, 1), Workers: 2, Pause: 4 * time.Millisecond}
	press.Run(1)
	if press.Maker.page.Len() > 8 {
		t.Fatal("too many puzzles")
	}
}
