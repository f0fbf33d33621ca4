package vm

import "context"

type memory struct {
	pages int
	held  int
}

// Machine is a running guest.
type Machine struct {
	mem    *memory
	cancel context.CancelFunc
}

// Boot starts a guest with so many pages.
func Boot(pages int) *Machine {
	ctx, cancel := context.WithCancel(context.Background())
	m := &Machine{mem: &memory{pages: pages}, cancel: cancel}
	b := balloon{guest: m, step: 8}
	go b.inflate(ctx)
	return m
}

// Shutdown turns the guest off.
func (m *Machine) Shutdown() {
	m.cancel()
	m.mem = nil //race:Machine.mem
}
