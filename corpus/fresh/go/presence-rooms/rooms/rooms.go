// Package rooms knows who is where.
package rooms

import "strconv"

// Rooms counts the members of each room.
type Rooms struct {
	members map[string]int
}

// New returns a house without rooms.
func New() *Rooms {
	return &Rooms{members: make(map[string]int)}
}

// Enter adds a member.
func (r *Rooms) Enter(room string) {
	r.members[room]++ //race:Rooms.members
}

// Walk lets one member go from room to room.
func (r *Rooms) Walk(steps int) {
	for i := 0; i < steps; i++ {
		r.Enter("room-" + strconv.Itoa(i%97))
	}
}
