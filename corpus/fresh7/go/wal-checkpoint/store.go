package main

import (
	"context"
	"sync/atomic"
	"time"
)

type lsn uint64

type segment struct {
	first lsn
	last  lsn
}

// logStore keeps segments until a checkpoint has covered them.
type logStore struct {
	tail       atomic.Uint64
	checkpoint lsn
	segments   []segment
	removed    int
}

func (s *logStore) append(n int) lsn {
	return lsn(s.tail.Add(uint64(n)))
}

func (s *logStore) syncPages(upTo lsn) error {
	time.Sleep(time.Millisecond)
	return nil
}

func (s *logStore) checkpointOnce() {
	target := lsn(s.tail.Load())
	if err := s.syncPages(target); err != nil {
		return
	}
	s.checkpoint = target //race:logStore.checkpoint
}

func (s *logStore) checkpointLoop(ctx context.Context, every time.Duration) {
	for ctx.Err() == nil {
		s.checkpointOnce()
		time.Sleep(every)
	}
}

// reclaim drops the segments that no recovery needs.
func (s *logStore) reclaim() int {
	kept := s.segments[:0]
	limit := s.checkpoint //race:logStore.checkpoint
	for _, seg := range s.segments {
		if seg.last <= limit {
			s.removed++
			continue
		}
		kept = append(kept, seg)
	}
	s.segments = kept
	return s.removed
}
