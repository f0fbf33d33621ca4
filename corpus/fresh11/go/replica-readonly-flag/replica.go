// Package replica follows a primary until it is promoted.
package replica

import (
	"errors"
	"sync"
	"sync/atomic"
)

// ErrReadOnly is what writes get before the promotion.
var ErrReadOnly = errors.New("replica: read only")

// Node is one member of a cluster.
type Node struct {
	readonly int32
	mu       sync.Mutex
	rows     map[string]string
}

// Follow makes a node that only follows.
func Follow() *Node { return &Node{readonly: 1, rows: map[string]string{}} }

// Promote lets clients write.
func (n *Node) Promote() {
	if !atomic.CompareAndSwapInt32(&n.readonly, 1, 0) { //race:Node.readonly
		return
	}
	n.mu.Lock()
	n.rows["_epoch"] = "1"
	n.mu.Unlock()
}

// Write stores a row.
func (n *Node) Write(key, value string) error {
	if n.readonly == 1 { //race:Node.readonly
		return ErrReadOnly
	}
	n.mu.Lock()
	n.rows[key] = value
	n.mu.Unlock()
	return nil
}
