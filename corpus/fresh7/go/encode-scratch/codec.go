package main

import (
	"fmt"
	"sync"
	"time"
)

type scratch struct {
	b []byte
}

type freeList struct {
	mu   sync.Mutex
	free []*scratch
}

func (l *freeList) get() *scratch {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n := len(l.free); n > 0 {
		s := l.free[n-1]
		l.free = l.free[:n-1]
		return s
	}
	return &scratch{b: make([]byte, 0, 64)}
}

func (l *freeList) put(s *scratch) {
	l.mu.Lock()
	s.b = s.b[:0]
	l.free = append(l.free, s)
	l.mu.Unlock()
}

type point struct {
	metric string
	value  byte
}

type encoder struct{ pool *freeList }

// encode returns a point in wire form.
func (e *encoder) encode(p point) []byte {
	s := e.pool.get()
	defer e.pool.put(s)
	s.b = append(s.b, p.metric...) //race:scratch.b[]
	s.b = append(s.b, p.value)     //race:scratch.b[]
	return s.b
}

func checksum(wire []byte) (sum byte) {
	for i := range wire {
		sum ^= wire[i] //race:scratch.b[]
		time.Sleep(100 * time.Microsecond)
	}
	return sum
}

func send(e *encoder, points []point) (sums []byte) {
	for _, p := range points {
		sums = append(sums, checksum(e.encode(p)))
	}
	return sums
}

func main() {
	e := &encoder{pool: &freeList{}}
	var wg sync.WaitGroup
	for _, name := range []string{"cpu.user", "mem.used"} {
		wg.Add(1)
		go func(name string) {
			defer wg.Done()
			send(e, []point{{name, 1}, {name, 2}})
		}(name)
	}
	wg.Wait()
	fmt.Println("sent")
}
