package stream

import (
	"testing"
	"time"
)

type step struct {
	wait time.Duration
	do   func(p *Partition)
}

func follow(p *Partition, steps ...step) {
	for _, s := range steps {
		time.Sleep(s.wait)
		s.do(p)
	}
	time.Sleep(20 * time.Millisecond)
}

func TestPartition(t *testing.T) {
	const ms = time.Millisecond
	p := &Partition{lag: 100}
	go follow(p, step{3 * ms, func(p *Partition) { p.Poll(5) }}, step{8 * ms, func(p *Partition) { p.Poll(5) }})
	follow(p, step{7 * ms, func(p *Partition) { p.Produced(2) }}, step{ms, func(p *Partition) { p.Rewind(0) }})
}
