package consumer

import (
	"context"
	"time"
)

type Message struct {
	Offset int64
	Value  []byte
}

type Fetcher interface {
	Fetch(from int64) []Message
}

// Consumer reads one partition.
type Consumer struct {
	partition int
	source    Fetcher
	position  int64
	handler   func(Message)
}

func New(partition int, source Fetcher, handler func(Message)) *Consumer {
	return &Consumer{partition: partition, source: source, handler: handler}
}

// Run polls until the context ends.
func (c *Consumer) Run(ctx context.Context) error {
	for ctx.Err() == nil {
		batch := c.source.Fetch(c.position)
		for _, m := range batch {
			c.handler(m)
			c.position = m.Offset + 1 //race:Consumer.position
		}
		time.Sleep(time.Millisecond)
	}
	return ctx.Err()
}

// Position is the offset that comes next.
func (c *Consumer) Position() int64 {
	return c.position //race:Consumer.position
}
