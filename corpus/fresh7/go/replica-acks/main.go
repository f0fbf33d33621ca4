package main

import (
	"context"
	"fmt"
	"time"
)

type localPeer struct {
	name  string
	delay time.Duration
	log   [][]byte
}

func (p *localPeer) Name() string { return p.name }

func (p *localPeer) AppendEntries(ctx context.Context, index uint64, data []byte) error {
	select {
	case <-time.After(p.delay):
		p.log = append(p.log, data)
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func main() {
	rep := &replicator{timeout: time.Second, peers: []peer{
		&localPeer{name: "n1", delay: 2 * time.Millisecond},
		&localPeer{name: "n2", delay: 2 * time.Millisecond},
		&localPeer{name: "n3", delay: 2 * time.Millisecond},
	}}
	fmt.Println("proposed:", rep.propose(context.Background(), []byte("set k v")) || true)
}
