package main

type turret struct {
	heat   float64
	locked bool
	shots  chan int
}

func (t *turret) fire() bool {
	if t.locked { //race:turret.locked
		return false
	}
	t.heat += 12.5 //race:turret.heat
	t.shots <- 1
	return true
}

func (t *turret) cool(dt float64) {
	t.heat -= 40 * dt //race:turret.heat
	if t.heat > 100 { //race:turret.heat
		t.locked = true //race:turret.locked
	} else {
		t.locked = false //race:turret.locked
	}
}
