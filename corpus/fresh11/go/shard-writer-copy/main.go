// Command shards adds up postings by shard.
package main

import (
	"fmt"
	"sync"
)

type shard struct {
	sync.Mutex
	id     int
	totals map[string]int
}

func (s *shard) post(account string, cents int) {
	s.Lock()
	defer s.Unlock()
	s.totals[account] += cents //race:shard.totals
}

type ledger struct {
	shards []shard
}

func (l *ledger) forEach(fn func(s *shard)) {
	for _, s := range l.shards {
		fn(&s)
	}
}

func main() {
	l := &ledger{shards: []shard{
		{id: 0, totals: map[string]int{}},
		{id: 1, totals: map[string]int{}},
	}}
	var wg sync.WaitGroup
	for _, account := range []string{"cash", "fees", "refunds"} {
		wg.Add(1)
		go func() {
			defer wg.Done()
			l.forEach(func(s *shard) {
				for cents := 1; cents < 30; cents++ {
					s.post(account, cents)
				}
			})
		}()
	}
	wg.Wait()
	fmt.Println(len(l.shards[0].totals), "accounts")
}
