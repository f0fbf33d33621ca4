// Package imap brings mailboxes over from another server.
package imap

import (
	"context"
	"fmt"
)

// Source lists and fetches folders.
type Source interface {
	Folders(ctx context.Context) ([]string, error)
	Fetch(ctx context.Context, folder string) ([]string, error)
}

// Sink stores messages.
type Sink interface {
	Store(ctx context.Context, folder string, messages []string) error
}

type fetched struct {
	messages []string
	failed   bool
}

// Import copies all folders; while one is stored, the next is fetched.
func Import(ctx context.Context, from Source, to Sink) (int, error) {
	folders, err := from.Folders(ctx)
	if err != nil {
		return 0, fmt.Errorf("list folders: %w", err)
	}
	prefetch := func(folder string) <-chan fetched {
		out := make(chan fetched, 1)
		go func() {
			var got fetched
			got.messages, err = from.Fetch(ctx, folder) //race:err
			got.failed = err != nil                     //race:err
			out <- got
		}()
		return out
	}
	count := 0
	var next <-chan fetched
	for i, folder := range folders {
		if next == nil {
			next = prefetch(folder)
		}
		got := <-next
		if i+1 < len(folders) {
			next = prefetch(folders[i+1])
		}
		if got.failed {
			continue
		}
		if err = to.Store(ctx, folder, got.messages); err != nil { //race:err
			return count, fmt.Errorf("store %s: %w", folder, err) //race:err
		}
		count += len(got.messages)
	}
	return count, nil
}
