package ski

import "time"

// Lift has turnstiles at the bottom.
type Lift struct {
	gate  Gate
	chair time.Duration
}

// NewLift returns a lift with nobody in it.
func NewLift(fare int, chair time.Duration) *Lift {
	return &Lift{gate: Gate{tally: &Tally{}, fare: fare}, chair: chair}
}

// Gate is the lift's gate.
func (l *Lift) Gate() Gate {
	return l.gate
}

// Turnstile lets groups through and returns what they paid.
func (l *Lift) Turnstile(groups ...int) int {
	gate := l.Gate()
	paid := 0
	for _, n := range groups {
		paid += gate.Pass(n)
		time.Sleep(l.chair)
	}
	return paid
}
