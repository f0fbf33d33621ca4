package bastion

import "time"

type sessionID uint64

type session struct {
	user   string
	opened time.Time
}

// Bastion is the jump host: it lets people in and throws them out.
type Bastion struct {
	next     sessionID
	sessions map[sessionID]session
}

func New() *Bastion {
	return &Bastion{sessions: map[sessionID]session{}}
}

// ServeFrom takes users off the listener until it is closed.
func (b *Bastion) ServeFrom(accept <-chan string) {
	for user := range accept {
		b.next++
		b.sessions[b.next] = session{user: user, opened: time.Now()} //race:Bastion.sessions[]
	}
}

// Revoke drops every session of a user and says how many there were.
func (b *Bastion) Revoke(user string) int {
	n := 0
	for id, s := range b.sessions { //race:Bastion.sessions[]
		if s.user != user {
			continue
		}
		delete(b.sessions, id) //race:Bastion.sessions[]
		n++
	}
	return n
}
