package future

import (
	"context"
	"testing"
	"time"
)

func TestWaitGivesUp(t *testing.T) {
	f := Score(Slow(8 * time.Millisecond))
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Millisecond)
	defer cancel()
	if _, err := f.Wait(ctx); err == nil {
		t.Log("it was quick")
	}
	time.Sleep(15 * time.Millisecond)
}
