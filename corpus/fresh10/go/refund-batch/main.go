package main

import (
	"fmt"
	"time"
)

func main() {
	g := gateway{latency: time.Millisecond, limit: 500}
	failed, err := g.refundAll([]refund{
		{"r-1", 100}, {"r-2", 900}, {"r-3", 700}, {"r-4", 50}, {"r-5", 800},
	})
	fmt.Println("some failed:", len(failed) > 0, err != nil)
}
