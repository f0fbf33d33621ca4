package mailroom

import "time"

// Supervisor looks in from time to time.
type Supervisor struct {
	Room  *Mailroom
	Limit int
}

// Overloaded says whether there is too much to do.
func (s Supervisor) Overloaded() bool {
	return s.Room.backlog > s.Limit //race:Mailroom.backlog
}

// SendHome lets the clerks go when they are done.
func (s Supervisor) SendHome(after time.Duration) {
	time.Sleep(after)
	s.Room.closing = true //race:Mailroom.closing
	s.Room.arrived.Broadcast()
}
