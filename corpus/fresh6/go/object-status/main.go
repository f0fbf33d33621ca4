package main

import (
	"fmt"
	"sync"
	"time"
)

func main() {
	objs := []*object{{name: "db-0"}}
	rec := &recorder{watched: objs}
	stop := make(chan struct{})
	go rec.run(500*time.Microsecond, stop)

	r := &reconciler{queue: make(chan *object)}
	var wg sync.WaitGroup
	wg.Add(1)
	go r.worker(&wg)
	for i := 0; i < 8; i++ {
		r.queue <- objs[0]
	}
	close(r.queue)
	wg.Wait()
	close(stop)
	fmt.Println("reconciled")
}
