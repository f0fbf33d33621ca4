// Package tunnel airs a road tunnel.
package tunnel

import "time"

// Air is what a probe measures.
type Air struct {
	Smoke int
	Cars  int
}

// Tunnel has a fan at each end.
type Tunnel struct {
	intake *Fan
	vent   *Fan
	alarm  int
	every  time.Duration
}

// New returns a tunnel with fans that stand still.
func New(limit int, every time.Duration) *Tunnel {
	return &Tunnel{intake: &Fan{limit: limit}, vent: &Fan{limit: limit}, every: every}
}

// Control follows the air.
func (t *Tunnel) Control(airs ...Air) {
	for minute, air := range airs {
		t.adjust(minute+1, air)
		time.Sleep(t.every)
	}
}

func (t *Tunnel) adjust(minute int, air Air) {
	t.intake.spin(10 * air.Cars) //race:Tunnel.intake
	t.vent.spin(20 * air.Smoke)  //race:Tunnel.vent
	if air.Smoke > 50 {
		t.alarm = minute //race:Tunnel.alarm
	}
}
