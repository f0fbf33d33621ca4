// Command leases shows how long jobs are leased.
package main

import (
	"fmt"
	"time"

	"example.com/batchd/leases/queue"
)

func main() {
	q := queue.New()
	q.Lease(7, time.Minute)
	over := make(chan struct{})
	go func() {
		defer close(over)
		for i := 0; i < 6; i++ {
			q.Renew(time.Minute)
			time.Sleep(500 * time.Microsecond)
		}
	}()
	for i := 0; i < 4; i++ {
		fmt.Println(q.Left(7) > 0)
		time.Sleep(700 * time.Microsecond)
	}
	<-over
}
