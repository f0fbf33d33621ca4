package main

import (
	"fmt"
	"time"

	"example.com/stream/consumer/consumer"
)

type lagReporter struct {
	consumers []*consumer.Consumer
	head      int64
}

func (l *lagReporter) report(rounds int) {
	for i := 0; i < rounds; i++ {
		time.Sleep(3 * time.Millisecond)
		for n, c := range l.consumers {
			if lag := l.head - c.Position(); lag < 0 {
				fmt.Println("partition", n, "is ahead")
			}
		}
	}
}
