package vm

import (
	"context"
	"time"
)

type balloon struct {
	guest *Machine
	step  int
}

func (b balloon) inflate(ctx context.Context) {
	for ctx.Err() == nil {
		b.grow()
		time.Sleep(time.Millisecond)
	}
}

func (b balloon) grow() {
	mem := b.guest.mem //race:Machine.mem
	if mem != nil && mem.held+b.step <= mem.pages {
		mem.held += b.step
	}
}
