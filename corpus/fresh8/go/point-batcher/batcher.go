package main

import (
	"fmt"
	"sync"
	"time"
)

type point struct {
	metric string
	value  float64
}

type remote struct {
	mu    sync.Mutex
	total float64
}

func (r *remote) write(points []point) {
	sum := 0.0
	for i := range points {
		sum += points[i].value //race:batcher.points[]
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.total += sum
}

// batcher sends points in groups.
type batcher struct {
	remote *remote
	points []point
	size   int
	wg     sync.WaitGroup
}

func (b *batcher) add(p point) {
	b.points = append(b.points, p) //race:batcher.points[]
	if len(b.points) == b.size {
		b.flush()
	}
}

func (b *batcher) flush() {
	full := b.points
	b.wg.Add(1)
	go func() {
		defer b.wg.Done()
		b.remote.write(full)
	}()
	b.points = b.points[:0]
}

func main() {
	b := &batcher{remote: &remote{}, size: 4}
	b.points = make([]point, 0, b.size)
	for i := 0; i < 20; i++ {
		b.add(point{"load", float64(i)})
		time.Sleep(20 * time.Microsecond)
	}
	b.wg.Wait()
	fmt.Println("total", b.remote.total > 0)
}
