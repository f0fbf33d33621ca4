package main

import (
	"flag"
	"fmt"
	"sync/atomic"
)

func main() {
	epochs := flag.Int("epochs", 3, "how often to go over the data")
	shards := flag.Int("shards", 4, "parts of the data")
	flag.Parse()

	t := &trainer{shards: *shards, reports: make(chan string, *epochs)}
	t.train(*epochs)
	for i := 0; i < *epochs; i++ {
		fmt.Println(len(<-t.reports) > 0)
	}
	fmt.Println(atomic.LoadInt64(&t.steps), "steps")
}
