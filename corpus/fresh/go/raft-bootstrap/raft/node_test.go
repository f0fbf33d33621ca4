package raft

import (
	"sync/atomic"
	"testing"
	"time"
)

func TestSingleNodeLeads(t *testing.T) {
	var applied int64
	n := StartNode(Config{ID: 1, Tick: 3 * time.Millisecond, Apply: func(Entry) {
		atomic.AddInt64(&applied, 1)
	}})
	defer n.Stop()
	time.Sleep(60 * time.Millisecond)
	if n.State() != Leader {
		t.Fatalf("node is %d", n.State())
	}
}
