package scatter

import (
	"context"
	"testing"
	"time"
)

func TestQueryDeadline(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Millisecond)
	defer cancel()
	a := Query(ctx, Shard{Name: "eu-1", Rows: 40, Delay: 7 * time.Millisecond})
	if a.Rows > 40 {
		t.Error("too many rows")
	}
	time.Sleep(15 * time.Millisecond)
}
