package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

var errDuplicate = errors.New("duplicate key")

type record struct {
	key  string
	body string
}

type table struct {
	name string
}

func (t *table) insert(ctx context.Context, r record) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(300 * time.Microsecond):
	}
	if r.body == "" {
		return fmt.Errorf("%s: %s: %w", t.name, r.key, errDuplicate)
	}
	return nil
}

// spawn runs n workers and returns a function that waits for them.
func spawn(n int, fn func(worker int)) (wait func()) {
	done := make(chan struct{})
	for i := 0; i < n; i++ {
		go func(i int) {
			fn(i)
			done <- struct{}{}
		}(i)
	}
	return func() {
		for i := 0; i < n; i++ {
			<-done
		}
	}
}

func importAll(ctx context.Context, t *table, parts [][]record) error {
	var firstErr error
	wait := spawn(len(parts), func(w int) {
		for _, r := range parts[w] {
			if err := t.insert(ctx, r); err != nil {
				if firstErr == nil { //race:firstErr
					firstErr = err //race:firstErr
				}
				return
			}
		}
	})
	wait()
	return firstErr
}

func main() {
	t := &table{name: "customers"}
	parts := [][]record{
		{{"k1", "a"}, {"k2", ""}},
		{{"k3", "b"}, {"k4", ""}},
		{{"k5", "c"}},
	}
	if err := importAll(context.Background(), t, parts); err != nil {
		fmt.Println("import:", err)
	}
}
