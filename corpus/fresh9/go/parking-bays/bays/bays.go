package bays

// Bay is a place for one car.
type Bay struct {
	Number int
	plate  string
}

// Level is a floor of bays.
type Level struct{ bays []*Bay }

// NewLevel makes n free bays.
func NewLevel(n int) *Level {
	l := &Level{}
	for i := 1; i <= n; i++ {
		l.bays = append(l.bays, &Bay{Number: i})
	}
	return l
}

// Assign gives a car the first bay that is free.
func (l *Level) Assign(plate string) (int, bool) {
	for _, b := range l.bays {
		if b.plate == "" { //race:Bay.plate
			b.plate = plate //race:Bay.plate
			return b.Number, true
		}
	}
	return 0, false
}
