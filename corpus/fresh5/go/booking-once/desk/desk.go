package desk

import "time"

type seat struct {
	row, number int
	guest       string
}

// Desk sells the seats of one evening.
type Desk struct {
	seats []*seat
	audit func(guest string)
}

// Open starts to sell rows of n seats.
func Open(rows, n int, audit func(guest string)) *Desk {
	d := &Desk{audit: audit}
	for r := 1; r <= rows; r++ {
		for i := 1; i <= n; i++ {
			d.seats = append(d.seats, &seat{row: r, number: i})
		}
	}
	return d
}

// Book gives a guest a seat, if it is free.
func (d *Desk) Book(at int, guest string) bool {
	s := d.seats[at]
	if s.guest != "" { //race:seat.guest
		return false
	}
	d.audit(guest)
	s.guest = guest //race:seat.guest
	return true
}

// Audit writes to the slow audit log.
func Audit(string) {
	time.Sleep(2 * time.Millisecond)
}
