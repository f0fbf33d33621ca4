package exec

import (
	"testing"
	"time"

	"github.com/deadheat-corpus/arbiter/memory"
)

func TestStatementIsMovedToArbiter(t *testing.T) {
	pool := memory.NewTracker("pool")
	e := NewHashJoin()
	e.Build(12)
	time.Sleep(4 * time.Millisecond)
	e.Tracker().AttachTo(pool)
	if n := e.Wait(); n != 12 {
		t.Fatal(n)
	}
}
