package txn

import (
	"testing"
	"time"

	"github.com/deadheat-corpus/wal/wal"
)

func TestCheckpointDuringCommit(t *testing.T) {
	l := &wal.Log{}
	go Begin(l).Set("a", "1").Commit()
	time.Sleep(30 * time.Millisecond)
	t.Log(Checkpoint(l))
}
