package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	c := &collector{}
	results := make(chan error)
	go produce(ctx, results)
	go produce(ctx, results)
	go func() {
		for err := range results {
			c.observe(err)
		}
	}()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	windows := 0
	for ctx.Err() == nil {
		<-tick.C
		c.rotate()
		windows++
	}
	fmt.Println("windows:", windows > 2)
}

func produce(ctx context.Context, out chan<- error) {
	for i := 0; ctx.Err() == nil; i++ {
		var err error
		if i%2 == 0 {
			err = errors.New("connection refused")
		}
		select {
		case out <- err:
		case <-ctx.Done():
		}
		time.Sleep(100 * time.Microsecond)
	}
}
