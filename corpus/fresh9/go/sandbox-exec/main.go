package main

import (
	"fmt"
	"time"
)

func divide(a, b int) func() int { return func() int { return a / b } }

func main() {
	w := &worker{name: "w0", jobs: make(chan job)}
	go w.run()
	go func() {
		for i := 0; i < 12; i++ {
			w.jobs <- job{i, divide(i, i%2)}
			time.Sleep(500 * time.Microsecond)
		}
		close(w.jobs)
	}()
	s := &supervisor{workers: []*worker{w}, limit: 1}
	fmt.Println(len(s.watch(5)) > 0)
}
