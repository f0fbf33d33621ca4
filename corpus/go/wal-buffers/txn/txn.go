// Package txn commits changes.
package txn

import "github.com/deadheat-corpus/wal/wal"

// Txn is one transaction.
type Txn struct {
	log     *wal.Log
	pending [][]byte
}

// Begin starts a transaction.
func Begin(l *wal.Log) *Txn {
	return &Txn{log: l}
}

// Set changes a key.
func (t *Txn) Set(key, value string) *Txn {
	t.pending = append(t.pending, []byte(key+"="+value))
	return t
}

// Commit writes all changes.
func (t *Txn) Commit() {
	for _, one := range t.pending {
		t.flush(one)
	}
}

func (t *Txn) flush(entry []byte) {
	t.log.Append(entry)
}
