package main

import (
	"fmt"
	"sync/atomic"
	"time"
)

type window struct {
	start    int64
	requests int64
}

// meter counts requests per window.
type meter struct {
	current window
	rolled  int
}

func (m *meter) mark() {
	atomic.AddInt64(&m.current.requests, 1) //race:window.requests
}

func (m *meter) roll(now int64) int64 {
	seen := atomic.LoadInt64(&m.current.requests)
	m.current = window{start: now} //race:window.requests
	m.rolled++
	return seen
}

func (m *meter) rollLoop(every time.Duration, times int) (sum int64) {
	for i := 0; i < times; i++ {
		time.Sleep(every)
		sum += m.roll(time.Now().UnixNano())
	}
	return sum
}

func handler(m *meter, n int, pause time.Duration) {
	for i := 0; i < n; i++ {
		m.mark()
		time.Sleep(pause)
	}
}

func main() {
	m := &meter{}
	go handler(m, 10, 300*time.Microsecond)
	sum := m.rollLoop(time.Millisecond, 4)
	fmt.Println("seen:", sum >= 0)
}
