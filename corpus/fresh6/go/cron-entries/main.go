package main

import (
	"fmt"
	"time"
)

func main() {
	runs := 0
	s := newScheduler(
		&entry{name: "vacuum", every: time.Millisecond, run: func() { runs++ }},
		&entry{name: "rotate", every: 2 * time.Millisecond, run: func() { runs++ }},
	)
	go s.loop()
	a := &api{sched: s}
	for i := 0; i < 6; i++ {
		time.Sleep(time.Millisecond)
		_ = a.list(time.Now().UnixNano())
	}
	close(s.quit)
	<-s.done
	fmt.Println("ran some:", runs > 0)
}
