package tracker

import (
	"testing"
	"time"
)

func TestBadgeTurnsGreen(t *testing.T) {
	tr := New()
	n := tr.Add()
	go func() {
		for _, s := range []Status{Running, Passed} {
			time.Sleep(2 * time.Millisecond)
			if err := tr.Set(n, s); err != nil {
				t.Error(err)
			}
		}
	}()
	for i := 0; i < 500; i++ {
		if Badge(tr, n) == "green" {
			return
		}
		time.Sleep(100 * time.Microsecond)
	}
	t.Fatal("never green")
}
