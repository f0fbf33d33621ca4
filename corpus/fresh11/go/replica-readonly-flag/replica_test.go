package replica

import (
	"testing"
	"time"
)

func TestWritesWorkAfterPromotion(t *testing.T) {
	n := Follow()
	go func() {
		time.Sleep(2 * time.Millisecond)
		n.Promote()
	}()
	deadline := time.Now().Add(2 * time.Second)
	for n.Write("k", "v") != nil {
		if time.Now().After(deadline) {
			t.Fatal("never promoted")
		}
		time.Sleep(500 * time.Microsecond)
	}
}
