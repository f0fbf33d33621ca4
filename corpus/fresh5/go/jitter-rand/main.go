package main

import (
	"fmt"
	"math/rand"
	"sync"
	"time"
)

type queue struct {
	jobs chan int
	rng  *rand.Rand
}

func (q *queue) backoff(attempt int) time.Duration {
	base := time.Duration(1<<attempt) * 100 * time.Microsecond
	return base + time.Duration(q.rng.Int63n(int64(base))) //race:queue.rng
}

func (q *queue) worker(wg *sync.WaitGroup) {
	defer wg.Done()
	for job := range q.jobs {
		time.Sleep(q.backoff(job % 3))
	}
}

func main() {
	q := &queue{jobs: make(chan int, 16), rng: rand.New(rand.NewSource(7))}
	for i := 0; i < 16; i++ {
		q.jobs <- i
	}
	close(q.jobs)
	var wg sync.WaitGroup
	wg.Add(3)
	for i := 0; i < 3; i++ {
		go q.worker(&wg)
	}
	wg.Wait()
	fmt.Println("drained")
}
