package schema

import (
	"context"
	"testing"
	"time"
)

func TestApplyAtOnce(t *testing.T) {
	db := Sleepy(2 * time.Millisecond)
	v, err := Apply(context.Background(), db, []string{
		"CREATE INDEX a ON orders (a)",
		"CREATE INDEX b ON orders (b)",
		"ALTER TABLE users ADD c INT",
	})
	if err != nil || v > 4 {
		t.Errorf("version %d, %v", v, err)
	}
}
