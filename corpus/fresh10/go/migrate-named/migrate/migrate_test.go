package migrate

import (
	"context"
	"errors"
	"testing"
	"time"
)

type table struct{ delay time.Duration }

func (t table) Upsert(rows []string) int {
	time.Sleep(t.delay)
	return len(rows)
}

func TestMove(t *testing.T) {
	m := NewMover(table{}, time.Second)
	if n, err := m.Move(context.Background(), []string{"a", "b"}); n != 2 || err != nil {
		t.Errorf("%d rows, %v", n, err)
	}
}

func TestMoveToSlowStore(t *testing.T) {
	m := NewMover(table{4 * time.Millisecond}, 2*time.Millisecond)
	if _, err := m.Move(context.Background(), []string{"a"}); !errors.Is(err, ErrSlow) {
		t.Errorf("got %v", err)
	}
	time.Sleep(5 * time.Millisecond)
}
