package main

import (
	"context"
	"sync"
	"time"
)

type ack struct {
	node  string
	index uint64
	took  time.Duration
}

type peer interface {
	Name() string
	AppendEntries(ctx context.Context, index uint64, data []byte) error
}

// round is one replication round of the log.
type round struct {
	index  uint64
	quorum int
	acks   []ack
}

func (r *round) record(p peer, took time.Duration) {
	r.acks = append(r.acks, ack{node: p.Name(), index: r.index, took: took}) //race:round.acks
}

func (r *round) committed() bool { return len(r.acks) >= r.quorum }

// replicator ships entries to the peers of a group.
type replicator struct {
	peers   []peer
	timeout time.Duration
	last    uint64
}

func (r *replicator) propose(ctx context.Context, data []byte) bool {
	ctx, cancel := context.WithTimeout(ctx, r.timeout)
	defer cancel()
	r.last++
	rd := &round{index: r.last, quorum: len(r.peers)/2 + 1}
	var wg sync.WaitGroup
	for _, p := range r.peers {
		wg.Add(1)
		go func(p peer) {
			defer wg.Done()
			r.send(ctx, rd, p, data)
		}(p)
	}
	wg.Wait()
	return rd.committed()
}

func (r *replicator) send(ctx context.Context, rd *round, p peer, data []byte) {
	start := time.Now()
	for attempt := 0; attempt < 3; attempt++ {
		if err := p.AppendEntries(ctx, rd.index, data); err == nil {
			rd.record(p, time.Since(start))
			return
		}
		if ctx.Err() != nil {
			return
		}
	}
}
