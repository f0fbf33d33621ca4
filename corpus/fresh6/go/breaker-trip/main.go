package main

import (
	"context"
	"fmt"
	"time"
)

type upstream struct {
	bad func(n int) bool
}

func (u upstream) fetch(n int) func(context.Context) error {
	return func(ctx context.Context) error {
		time.Sleep(200 * time.Microsecond)
		if u.bad(n) {
			return errTimeout
		}
		return nil
	}
}

func main() {
	b := &breaker{threshold: 2, cooldown: time.Millisecond}
	up := upstream{bad: func(n int) bool { return n%3 != 0 }}
	done := make(chan int)
	for w := 0; w < 2; w++ {
		go func(w int) {
			open := 0
			for n := 0; n < 8; n++ {
				if err := b.Do(context.Background(), up.fetch(n+w)); err == errOpen {
					open++
					time.Sleep(300 * time.Microsecond)
				}
			}
			done <- open
		}(w)
	}
	fmt.Println("refused some:", <-done+<-done >= 0)
}
