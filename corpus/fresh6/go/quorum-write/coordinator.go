package main

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

var errReplicaDown = errors.New("replica down")

type replica struct {
	addr string
	lag  time.Duration
	down bool
}

func (r *replica) apply(key string, value []byte) error {
	time.Sleep(r.lag)
	if r.down {
		return fmt.Errorf("%s: %w", r.addr, errReplicaDown)
	}
	return nil
}

type outcome struct {
	acked  []string
	failed []error
}

func (o *outcome) record(addr string, err error) {
	if err != nil {
		o.failed = append(o.failed, err) //race:outcome.failed
		return
	}
	o.acked = append(o.acked, addr) //race:outcome.acked
}

type coordinator struct {
	replicas []*replica
	quorum   int
}

// Write sends a value to every replica and needs a quorum of them.
func (c *coordinator) Write(key string, value []byte) (*outcome, error) {
	o := &outcome{}
	var wg sync.WaitGroup
	wg.Add(len(c.replicas))
	for i := range c.replicas {
		rep := c.replicas[i]
		go func() {
			defer wg.Done()
			o.record(rep.addr, rep.apply(key, value))
		}()
	}
	wg.Wait()
	if len(o.acked) < c.quorum {
		return o, fmt.Errorf("write %s: %d of %d", key, len(o.acked), c.quorum)
	}
	return o, nil
}
