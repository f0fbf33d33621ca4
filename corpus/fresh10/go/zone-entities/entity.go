package main

type entityID int

type vec struct{ x, y float64 }

func (v vec) plus(o vec) vec { return vec{v.x + o.x, v.y + o.y} }

// entity is a thing that moves. Once it is in a zone only the tick touches it.
type entity struct {
	id    entityID
	at    vec
	speed vec
}

func (e *entity) step() {
	e.at = e.at.plus(e.speed) //behind:zone.entities[]
}
