package main

import "time"

type zone struct {
	name     string
	every    time.Duration
	entities map[entityID]*entity
	ticks    int

	quit    chan struct{}
	stopped chan struct{}
}

func newZone(name string, every time.Duration) *zone {
	return &zone{
		name:     name,
		every:    every,
		entities: make(map[entityID]*entity),
		quit:     make(chan struct{}),
		stopped:  make(chan struct{}),
	}
}

func (z *zone) loop() {
	defer close(z.stopped)
	tick := time.NewTicker(z.every)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			z.tick()
		case <-z.quit:
			return
		}
	}
}

func (z *zone) tick() {
	z.ticks++
	for _, e := range z.entities { //race:zone.entities
		e.step()
	}
}

func (z *zone) join(id entityID, at vec) {
	z.entities[id] = &entity{id: id, at: at, speed: vec{1, 0}} //behind:zone.entities[] //race:zone.entities
}

func (z *zone) leave(id entityID) {
	delete(z.entities, id) //race:zone.entities
}

func (z *zone) stop() {
	close(z.quit)
	<-z.stopped
}
