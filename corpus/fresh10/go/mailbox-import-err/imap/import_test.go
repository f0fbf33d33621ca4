package imap

import (
	"context"
	"testing"
	"time"
)

type server map[string][]string

func (s server) Folders(context.Context) ([]string, error) {
	return []string{"inbox", "sent", "drafts"}, nil
}

func (s server) Fetch(ctx context.Context, folder string) ([]string, error) {
	time.Sleep(time.Millisecond)
	return s[folder], ctx.Err()
}

func (s server) Store(ctx context.Context, folder string, messages []string) error {
	time.Sleep(time.Millisecond)
	return ctx.Err()
}

func TestImportCounts(t *testing.T) {
	from := server{"inbox": {"a", "b"}, "sent": {"c"}, "drafts": nil}
	n, err := Import(context.Background(), from, server{})
	if err != nil || n != 3 {
		t.Errorf("%d messages, %v", n, err)
	}
}
