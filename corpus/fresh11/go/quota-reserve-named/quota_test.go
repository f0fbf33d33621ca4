package quota

import (
	"context"
	"errors"
	"testing"
	"time"
)

func TestReserveGivesUp(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Millisecond)
	defer cancel()
	if _, err := Reserve(ctx, Slow, 5); !errors.Is(err, ErrLate) {
		t.Errorf("err %v", err)
	}
	time.Sleep(10 * time.Millisecond)
}

func TestReserve(t *testing.T) {
	n, err := Reserve(context.Background(), func(u int) int { return u }, 3)
	if n != 3 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
}
