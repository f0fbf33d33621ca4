package main

import (
	"fmt"
	"sync/atomic"
	"time"

	"example.com/quorate/raft/node"
)

type counter struct{ applied atomic.Int64 }

func (c *counter) Apply(cmd []byte) { c.applied.Add(int64(len(cmd))) }

func main() {
	c := &counter{}
	n := node.Start(3, node.WithStateMachine(c), node.WithBatch(4))
	for i := 0; i < 5; i++ {
		n.Propose([]byte{byte(i)})
	}
	time.Sleep(2 * time.Millisecond)
	n.Stop()
	fmt.Println("applied some:", c.applied.Load() >= 0)
}
