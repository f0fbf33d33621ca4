package main

import (
	"fmt"
	"time"

	"github.com/deadheat-corpus/dedupestage/pipe"
)

func main() {
	lag := []time.Duration{1, 9, 1, 9}
	next := make(chan time.Duration, len(lag))
	for _, d := range lag {
		next <- d * 2 * time.Millisecond
	}
	keep, dropped := pipe.Dedupe(8, func(int) { time.Sleep(<-next) })
	n := 0
	for range pipe.Filter(pipe.From(7, 7, 7, 7), 2, keep) {
		n++
	}
	fmt.Println(n+dropped() <= 4)
}
