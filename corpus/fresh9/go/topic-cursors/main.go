package main

import (
	"context"
	"time"

	"example.com/stream/consumer/consumer"
)

type fakeBroker struct{ step int64 }

func (f fakeBroker) Fetch(from int64) []consumer.Message {
	out := make([]consumer.Message, 0, f.step)
	for i := int64(0); i < f.step; i++ {
		out = append(out, consumer.Message{Offset: from + i})
	}
	return out
}

func main() {
	c := consumer.New(0, fakeBroker{step: 3}, func(consumer.Message) {})
	ctx, cancel := context.WithTimeout(context.Background(), 40*time.Millisecond)
	defer cancel()
	go c.Run(ctx)
	l := &lagReporter{consumers: []*consumer.Consumer{c}, head: 1 << 20}
	l.report(5)
}
