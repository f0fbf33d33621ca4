package main

import (
	"fmt"
	"sync"
	"time"
)

type session struct {
	id int
	pl *planner
}

func (s *session) exec(sql string) (int, error) {
	p, err := s.pl.prepare(sql)
	if err != nil {
		return 0, fmt.Errorf("session %d: %w", s.id, err)
	}
	return p.cost, nil //race:plan.cost
}

func main() {
	pl := newPlanner(64)
	workload := [][]string{
		{"SELECT * FROM orders", "SELECT id FROM users", "DELETE FROM carts"},
		{"SELECT id FROM users", "UPDATE stock SET n = 0", "SELECT * FROM orders"},
	}
	var wg sync.WaitGroup
	for i, stmts := range workload {
		s := &session{id: i, pl: pl}
		wg.Add(1)
		go func(stmts []string) {
			defer wg.Done()
			for _, sql := range stmts {
				if _, err := s.exec(sql); err != nil {
					fmt.Println(err)
				}
				time.Sleep(200 * time.Microsecond)
			}
		}(stmts)
	}
	wg.Wait()
	fmt.Println("plans", pl.size())
}
