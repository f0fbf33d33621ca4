package tape

type arm struct {
	slot  int
	moves uint64
}

func (a *arm) travel(to int) {
	a.slot = to //race:arm.slot
	a.moves++   //race:arm.moves
}

// Where is the slot before which the arm stands.
func (a *arm) Where() int {
	return a.slot //race:arm.slot
}

// Wear is the number of moves so far.
func (a *arm) Wear() uint64 {
	return a.moves //race:arm.moves
}
