package main

import (
	"time"

	"example.com/search/worker/worker"
)

type member interface {
	OnAssign([]worker.Shard)
}

type coordinator struct {
	width   uint32
	members []member
}

func (c *coordinator) rebalance(total uint32) {
	parts := make([][]worker.Shard, len(c.members))
	for at, i := uint32(0), 0; at < total; at, i = at+c.width, i+1 {
		k := i % len(c.members)
		parts[k] = append(parts[k], worker.Shard{From: at, To: at + c.width})
	}
	for i, m := range c.members {
		m.OnAssign(parts[i])
		time.Sleep(2 * time.Millisecond)
	}
}
