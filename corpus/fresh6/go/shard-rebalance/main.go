package main

import (
	"fmt"
	"sync"
	"time"
)

type shard struct {
	id     int
	node   string
	target string
	bytes  int64
}

type cluster struct {
	mu     sync.Mutex
	placed map[int]string
	moved  int64
}

func (c *cluster) stream(id int, from, to string) error {
	time.Sleep(time.Millisecond)
	if from == to {
		return fmt.Errorf("shard %d: already on %s", id, to)
	}
	return nil
}

func (c *cluster) assign(id int, node string, bytes int64) {
	c.mu.Lock()
	c.placed[id] = node
	c.moved += bytes
	c.mu.Unlock()
}

type rebalancer struct {
	c    *cluster
	plan []shard
}

// Apply moves all shards of the plan at once.
func (r *rebalancer) Apply() []error {
	errs := make(chan error, len(r.plan))
	var wg sync.WaitGroup
	for _, s := range r.plan { //race:s
		if s.node == s.target {
			continue
		}
		wg.Add(1)
		go func() {
			defer wg.Done()
			id, from, to := s.id, s.node, s.target //race:s
			if err := r.c.stream(id, from, to); err != nil {
				errs <- err
				return
			}
			r.c.assign(id, to, s.bytes) //race:s
		}()
	}
	wg.Wait()
	close(errs)
	var failed []error
	for err := range errs {
		failed = append(failed, err)
	}
	return failed
}

func main() {
	c := &cluster{placed: map[int]string{}}
	r := &rebalancer{c: c, plan: []shard{
		{1, "n1", "n2", 100}, {2, "n1", "n3", 250}, {3, "n2", "n2", 10}, {4, "n3", "n1", 75},
	}}
	failed := r.Apply()
	fmt.Println("moved", c.moved, "failed", len(failed))
}
