package main

import "time"

type vec struct{ x, y float32 }

type entity struct {
	id  int
	pos vec
	vel vec
}

type world struct {
	entities []entity
	step     time.Duration
	ticks    int
}

func newWorld(step time.Duration) *world {
	return &world{step: step}
}

func (w *world) run(ticks int, done chan<- struct{}) {
	defer close(done)
	for w.ticks = 0; w.ticks < ticks; w.ticks++ {
		w.simulate(0.016)
		time.Sleep(w.step)
	}
}

func (w *world) simulate(dt float32) {
	for i := range w.entities { //race:world.entities
		e := &w.entities[i]     //race:world.entities
		e.pos.x += e.vel.x * dt //race:world.entities[]
		e.pos.y += e.vel.y * dt //race:world.entities[]
	}
}
