package roster

import "sync"

// Replica is one member.
type Replica struct {
	Addr string
	Vote bool
}

// Roster lists the members of a group.
type Roster struct {
	sync.Mutex
	members []*Replica
}

// Join adds a member.
func (r *Roster) Join(m *Replica) {
	r.Lock()
	r.members = append(r.members, m)
	r.Unlock()
}

// Leave removes a member.
func (r *Roster) Leave(addr string) {
	r.Lock()
	defer r.Unlock()
	for i, m := range r.members {
		if m.Addr == addr {
			r.members = append(r.members[:i], r.members[i+1:]...) //race:Roster.members[]
			return
		}
	}
}

// Broadcast sends to all members without holding the lock during the sends.
func (r *Roster) Broadcast(send func(addr string)) int {
	r.Lock()
	members := r.members
	r.Unlock()
	n := 0
	for _, m := range members { //race:Roster.members[]
		send(m.Addr)
		n++
	}
	return n
}
