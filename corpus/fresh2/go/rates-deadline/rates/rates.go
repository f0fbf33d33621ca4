package rates

import (
	"context"
	"time"
)

// Board has the rates of today.
type Board struct {
	fetch    Fetch
	patience time.Duration
}

// NewBoard returns a board that waits so long for a rate.
func NewBoard(f Fetch, patience time.Duration) *Board {
	return &Board{fetch: f, patience: patience}
}

// Rate returns a rate, or the fault that it was not there in time.
func (b *Board) Rate(ctx context.Context, currency string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, b.patience)
	defer cancel()
	return start(b.fetch, currency).wait(ctx)
}
