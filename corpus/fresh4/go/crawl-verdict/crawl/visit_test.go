package crawl

import (
	"context"
	"testing"
	"time"
)

func TestAwait(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	v := Begin("https://example.com", func(string) string {
		time.Sleep(5 * time.Millisecond)
		return "ok"
	})
	if got := v.Await(ctx); got == "" {
		t.Fatal("no status")
	}
	time.Sleep(5 * time.Millisecond)
}
