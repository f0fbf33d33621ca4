package main

import "sync"

type phase int

const (
	detached phase = iota
	attaching
	attached
)

func (p phase) String() string {
	return [...]string{"detached", "attaching", "attached"}[p]
}

// volume is a disk that can be attached to one host.
type volume struct {
	mu    sync.Mutex
	id    string
	host  string
	phase phase
}

func (v *volume) setPhase(p phase, host string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.phase = p //race:volume.phase
	v.host = host
}

func (v *volume) attach(host string, op func() error) error {
	v.setPhase(attaching, host)
	if err := op(); err != nil {
		v.setPhase(detached, "")
		return err
	}
	v.setPhase(attached, host)
	return nil
}

func (v *volume) attachedTo(host string) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.phase == attached && v.host == host
}

// describe is what the log says of a volume.
func (v *volume) describe() string {
	return v.id + ":" + v.phase.String() //race:volume.phase
}
