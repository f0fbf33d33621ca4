package deploy

import (
	"context"
	"testing"
	"time"
)

func takes(d time.Duration) Step {
	return func(ctx context.Context) error {
		time.Sleep(d)
		return ctx.Err()
	}
}

func TestDeploy(t *testing.T) {
	r, err := Deploy(context.Background(), Plan{
		Release: "2024.11",
		Warm:    takes(6 * time.Millisecond),
		Migrate: takes(3 * time.Millisecond),
		Switch:  takes(3 * time.Millisecond),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s: warmed %v", r.Release, r.Warmed)
}
