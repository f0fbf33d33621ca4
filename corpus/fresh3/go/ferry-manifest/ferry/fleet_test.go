package ferry

import (
	"context"
	"testing"
	"time"
)

func TestLateShip(t *testing.T) {
	fleet := &Fleet{Patience: 5 * time.Millisecond, Gangway: Gangway{4 * time.Millisecond}}
	late := fleet.Depart(context.Background(), map[string][]string{"Maren": {"a1", "a2", "a3"}})
	if len(late) != 1 {
		t.Fatalf("late: %v", late)
	}
	time.Sleep(15 * time.Millisecond)
}
