package main

import (
	"fmt"
	"sort"
	"sync"
	"time"
)

type slowQuery struct {
	sql  string
	took time.Duration
}

// slowLog keeps the slowest statements of a server in a ring.
type slowLog struct {
	ring [16]slowQuery
}

func (l *slowLog) observe(slot int, q slowQuery) {
	l.ring[slot%len(l.ring)] = q //race:slowLog.ring[]
}

func (l *slowLog) page(n int) []string {
	top := l.ring[:]
	sort.Slice(top, func(i, j int) bool { //race:slowLog.ring[]
		return top[i].took > top[j].took //race:slowLog.ring[]
	})
	var out []string
	for _, q := range top[:n] { //race:slowLog.ring[]
		out = append(out, q.sql)
	}
	return out
}

type executor struct {
	log *slowLog
}

func (e *executor) run(worker int) {
	for i := 0; i < 8; i++ {
		took := time.Duration(worker*100+i) * time.Millisecond
		e.log.observe(worker*8+i, slowQuery{fmt.Sprintf("select %d", i), took})
		time.Sleep(300 * time.Microsecond)
	}
}

func main() {
	log := &slowLog{}
	var wg sync.WaitGroup
	for w := 0; w < 2; w++ {
		wg.Add(1)
		go func(w int) {
			defer wg.Done()
			(&executor{log}).run(w)
		}(w)
	}
	time.Sleep(time.Millisecond)
	lines := log.page(3)
	wg.Wait()
	fmt.Println("rows", len(lines))
}
