package future

import (
	"context"
	"errors"
	"testing"
	"time"
)

func TestWait(t *testing.T) {
	c := Go(func() (string, error) { return "pong", nil })
	got, err := c.Wait(context.Background())
	if err != nil || got != "pong" {
		t.Fatal(got, err)
	}
}

func TestWaitGivesUp(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Millisecond)
	defer cancel()
	c := Go(func() (string, error) {
		time.Sleep(8 * time.Millisecond)
		return "late", nil
	})
	if _, err := c.Wait(ctx); !errors.Is(err, ErrAbandoned) {
		t.Fatal(err)
	}
	time.Sleep(15 * time.Millisecond)
}
