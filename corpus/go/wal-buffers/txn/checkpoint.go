package txn

import "github.com/deadheat-corpus/wal/wal"

// Checkpoint tells whether the log has grown too large.
func Checkpoint(l *wal.Log) bool {
	return exceeds(l, 1<<20)
}

func exceeds(l *wal.Log, limit int) bool {
	return l.Size() > limit
}
