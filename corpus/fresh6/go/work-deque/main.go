package main

import (
	"fmt"
	"sync"
	"time"
)

type task struct {
	id   int
	cost time.Duration
}

type worker struct {
	own    Deque[task]
	ran    int
	victim *worker
}

func (w *worker) run(wg *sync.WaitGroup) {
	defer wg.Done()
	for idle := 0; idle < 3; {
		t, ok := w.own.Pop()
		if !ok && w.victim != nil {
			t, ok = w.victim.own.Steal()
		}
		if !ok {
			idle++
			time.Sleep(200 * time.Microsecond)
			continue
		}
		time.Sleep(t.cost)
		w.ran++
	}
}

func main() {
	busy, lazy := &worker{}, &worker{}
	lazy.victim = busy
	for i := 0; i < 10; i++ {
		busy.own.Push(task{id: i, cost: 200 * time.Microsecond})
	}
	var wg sync.WaitGroup
	wg.Add(2)
	go busy.run(&wg)
	go lazy.run(&wg)
	wg.Wait()
	fmt.Println("ran some:", busy.ran+lazy.ran > 0)
}
