package quotes

import (
	"context"
	"testing"
	"time"
)

func TestGetGivesUp(t *testing.T) {
	f := Ask(Slow(6*time.Millisecond, 499))
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Millisecond)
	defer cancel()
	if _, err := f.Get(ctx); err == nil {
		t.Skip("the carrier was fast")
	}
	time.Sleep(10 * time.Millisecond)
}
