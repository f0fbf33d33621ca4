package lobby

// Player is somebody who wants to play.
type Player struct {
	Name   string
	Rating int
}

// Lobby is a room before the match.
type Lobby struct {
	seats   int
	waiting Roster[Player]
	ready   Roster[Player]
}

// Open returns an empty lobby.
func Open(seats int) *Lobby {
	return &Lobby{seats: seats}
}

// Enter has a player wait.
func (l *Lobby) Enter(p Player) {
	l.waiting.Append(p) //race:Lobby.waiting.items
}

// Confirm says that a player is ready.
func (l *Lobby) Confirm(p Player) {
	l.ready.Append(p) //race:Lobby.ready.items
}

// Missing is how many seats are not taken yet.
func (l *Lobby) Missing() int {
	return l.seats - l.count()
}

func (l *Lobby) count() int {
	n := l.ready.Len() //race:Lobby.ready.items
	if n == 0 {
		n = l.waiting.Len() //race:Lobby.waiting.items
	}
	return n
}
