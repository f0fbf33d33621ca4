package quotes

import (
	"context"
	"testing"
	"time"
)

func TestSlowCarrierIsLeftOut(t *testing.T) {
	n := AskAll(context.Background(), 10*time.Millisecond,
		Carrier{"swift", 0, 1290},
		Carrier{"snail", 20 * time.Millisecond, 310},
	)
	time.Sleep(25 * time.Millisecond)
	if n != 1 {
		t.Fatalf("%d answered", n)
	}
}
