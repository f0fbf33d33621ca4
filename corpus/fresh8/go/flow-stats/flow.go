package main

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

type flowStats struct {
	packets int64
}

// table holds the figures of one rule.
type table struct {
	rule  string
	stats flowStats
}

func (t *table) count() {
	atomic.AddInt64(&t.stats.packets, 1) //race:flowStats.packets
}

func (t *table) reset() {
	t.stats = flowStats{} //race:flowStats.packets
}

func (t *table) packets() int64 {
	return atomic.LoadInt64(&t.stats.packets)
}

type firewall struct {
	tables map[string]*table
}

func (f *firewall) match(rule string) bool {
	t, ok := f.tables[rule]
	if ok {
		t.count()
	}
	return ok
}

func main() {
	f := &firewall{tables: map[string]*table{"drop-telnet": {rule: "drop-telnet"}}}
	var wg sync.WaitGroup
	for q := 0; q < 2; q++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := 0; i < 10; i++ {
				f.match("drop-telnet")
				time.Sleep(100 * time.Microsecond)
			}
		}()
	}
	time.Sleep(500 * time.Microsecond)
	f.tables["drop-telnet"].reset()
	wg.Wait()
	fmt.Println("packets", f.tables["drop-telnet"].packets() > 0)
}
