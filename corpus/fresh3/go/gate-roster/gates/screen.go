package gates

import "fmt"

// Screen hangs in the hall.
type Screen struct {
	roster *Roster
}

// Line is what a screen shows of a flight.
func (s Screen) Line(flight string, number int) string {
	return fmt.Sprintf("%s gate %d", flight, s.roster.current(9).gate(number))
}

func (p *Plan) gate(number int) int {
	return p.first + number%4 //race:Plan.first
}
