// Package tree runs workers below workers.
package tree

import (
	"context"
	"time"
)

// Node is a worker with workers below it.
type Node struct {
	Name   string
	status string
	reason error
	cancel context.CancelFunc
	below  []*Node
}

// Grow starts a node under a context.
func Grow(ctx context.Context, name string, beat time.Duration) *Node {
	inner, cancel := context.WithCancel(ctx)
	n := &Node{Name: name, cancel: cancel}
	go n.live(inner, beat)
	return n
}

// Branch starts a node below another.
func (n *Node) Branch(ctx context.Context, name string, beat time.Duration) *Node {
	child := Grow(ctx, n.Name+"/"+name, beat)
	n.below = append(n.below, child)
	return child
}

func (n *Node) live(ctx context.Context, beat time.Duration) {
	tick := time.NewTicker(beat)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			n.status = "ended"   //race:Node.status
			n.reason = ctx.Err() //race:Node.reason
			time.Sleep(6 * beat)
			return
		}
	}
}

// Prune cancels a node and those below it.
func (n *Node) Prune() {
	for _, child := range n.below {
		child.Prune()
	}
	n.cancel()
	time.Sleep(3 * time.Millisecond)
	n.status = "pruned"         //race:Node.status
	n.reason = context.Canceled //race:Node.reason
}
