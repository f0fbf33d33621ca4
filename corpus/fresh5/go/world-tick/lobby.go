package main

type lobby struct {
	world *world
}

func (l *lobby) join(id int) {
	e := entity{id: id, vel: vec{1, float32(id)}}
	l.world.entities = append(l.world.entities, e) //race:world.entities,world.entities[]
}

func (l *lobby) leave(id int) {
	for i, e := range l.world.entities { //race:world.entities,world.entities[]
		if e.id == id {
			l.world.entities = append(l.world.entities[:i], l.world.entities[i+1:]...) //race:world.entities,world.entities[]
			return
		}
	}
}
