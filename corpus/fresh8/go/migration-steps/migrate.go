package main

import (
	"fmt"
	"sort"
	"sync"
	"time"
)

type shard struct {
	name    string
	version int
}

type migrator struct {
	target int
	cost   time.Duration
}

// each brings every shard to the target version and calls back for it.
func (m *migrator) each(shards []*shard, done func(*shard)) {
	var wg sync.WaitGroup
	wg.Add(len(shards))
	for _, s := range shards {
		s := s
		go func() {
			defer wg.Done()
			for s.version < m.target {
				time.Sleep(m.cost)
				s.version++
			}
			done(s)
		}()
	}
	wg.Wait()
}

func migrate(shards []*shard, target int) []string {
	var applied []string
	m := &migrator{target: target, cost: 100 * time.Microsecond}
	m.each(shards, func(s *shard) {
		applied = append(applied, s.name) //race:applied
	})
	sort.Strings(applied)
	return applied
}

func main() {
	shards := []*shard{{"eu-1", 3}, {"eu-2", 3}, {"us-1", 2}, {"us-2", 3}}
	names := migrate(shards, 5)
	fmt.Println("migrated", len(names) > 0)
}
