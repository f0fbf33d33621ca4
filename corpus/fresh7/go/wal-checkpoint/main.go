package main

import (
	"context"
	"fmt"
	"time"
)

func main() {
	s := &logStore{segments: []segment{{1, 10}, {11, 20}, {21, 30}}}
	ctx, cancel := context.WithCancel(context.Background())
	go s.checkpointLoop(ctx, time.Millisecond)
	for i := 0; i < 5; i++ {
		s.append(8)
		time.Sleep(2 * time.Millisecond)
		s.reclaim()
	}
	cancel()
	fmt.Println("removed:", s.removed >= 0)
}
