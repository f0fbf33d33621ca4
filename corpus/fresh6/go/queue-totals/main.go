package main

import (
	"fmt"
	"time"
)

func main() {
	q := newQueue(2)
	for i := 0; i < 40; i++ {
		q.jobs <- fmt.Sprintf("job-%d", i)
		if i%10 == 9 {
			time.Sleep(time.Millisecond)
			q.rollover()
		}
	}
	close(q.jobs)
	for range q.workers {
		<-q.finished
	}
	fmt.Println("hours", q.hours)
}
