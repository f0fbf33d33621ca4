package upload

import (
	"context"
	"testing"
	"time"
)

func TestUploadStopsAtTheDeadline(t *testing.T) {
	u := New(2 * time.Millisecond)
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Millisecond)
	defer cancel()
	if err := u.Upload(ctx, []string{"a", "bb", "ccc", "dddd", "eeeee"}); err == nil {
		t.Skip("the link is fast")
	}
	if s := u.Stats(); s.Sent > 5 {
		t.Errorf("stats %+v", s)
	}
	time.Sleep(10 * time.Millisecond)
}
