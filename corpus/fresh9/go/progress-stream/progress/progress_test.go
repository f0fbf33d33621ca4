package progress

import (
	"testing"
	"time"
)

func TestCancel(t *testing.T) {
	j := Start(4, func(i int) {
		if i == 4 {
			time.Sleep(30 * time.Millisecond)
			return
		}
		time.Sleep(time.Millisecond)
	})
	time.Sleep(15 * time.Millisecond)
	j.Cancel()
	n := 0
	for range j.Updates() {
		n++
	}
	if n > 3 {
		t.Errorf("%d updates", n)
	}
	time.Sleep(40 * time.Millisecond)
}
