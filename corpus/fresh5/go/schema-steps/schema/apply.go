package schema

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// DB runs statements.
type DB interface {
	Exec(ctx context.Context, stmt string) error
	Version(ctx context.Context) (int, error)
}

// Apply runs statements that do not depend on each other.
func Apply(ctx context.Context, db DB, stmts []string) (int, error) {
	version, err := db.Version(ctx)
	if err != nil {
		return 0, fmt.Errorf("version: %w", err)
	}
	applied := 0
	var wg sync.WaitGroup
	wg.Add(len(stmts))
	for _, stmt := range stmts {
		stmt := stmt
		go func() {
			defer wg.Done()
			if err = db.Exec(ctx, stmt); err != nil { //race:Apply.err
				return
			}
			applied++ //race:Apply.applied
		}()
	}
	wg.Wait()
	if err != nil {
		return version, err
	}
	return version + applied, nil
}

// Sleepy is a database for tests.
type Sleepy time.Duration

// Exec takes a while.
func (s Sleepy) Exec(context.Context, string) error {
	time.Sleep(time.Duration(s))
	return nil
}

// Version is always the first.
func (s Sleepy) Version(context.Context) (int, error) { return 1, nil }
