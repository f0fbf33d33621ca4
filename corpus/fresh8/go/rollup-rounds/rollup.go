package main

import (
	"fmt"
	"sync"
	"time"
)

type point struct {
	series string
	value  float64
}

// rollup sums points in rounds.
type rollup struct {
	wg    sync.WaitGroup
	mu    sync.Mutex
	sums  map[string]float64
	delay time.Duration
}

func (r *rollup) add(p point) {
	defer r.wg.Done()
	time.Sleep(r.delay)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sums[p.series] += p.value
}

func (r *rollup) begin(points []point) {
	r.wg.Add(len(points)) //race:rollup.wg
	for _, p := range points {
		go r.add(p)
	}
}

func (r *rollup) settle() {
	r.wg.Wait() //race:rollup.wg
}

func main() {
	r := &rollup{sums: map[string]float64{}, delay: time.Millisecond}
	r.begin([]point{{"cpu", 0.5}, {"mem", 0.25}})
	flushed := make(chan struct{})
	go func() {
		r.settle()
		close(flushed)
	}()
	time.Sleep(2 * time.Millisecond)
	r.begin([]point{{"cpu", 0.75}, {"disk", 1}})
	<-flushed
	r.settle()
	fmt.Println("series", len(r.sums) > 0)
}
