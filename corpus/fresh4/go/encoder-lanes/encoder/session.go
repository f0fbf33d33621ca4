// Package encoder turns frames into packets.
package encoder

import "time"

type lane struct {
	id      int
	packets int
}

// Session pumps frames through its lanes until it is closed.
type Session struct {
	lanes []*lane
	state string
	tick  time.Duration
}

// Open starts a session with n lanes.
func Open(n int, tick time.Duration) *Session {
	s := &Session{state: "open", tick: tick}
	for i := 0; i < n; i++ {
		s.lanes = append(s.lanes, &lane{id: i})
	}
	go s.pump()
	return s
}

func (s *Session) pump() {
	for i := 0; ; i++ {
		time.Sleep(s.tick)
		if s.state == "closed" { //race:Session.state
			time.Sleep(8 * s.tick)
			return
		}
		if lanes := s.lanes; len(lanes) > 0 { //race:Session.lanes
			lanes[i%len(lanes)].packets++
		}
	}
}

// Close ends the session.
func (s *Session) Close() {
	s.lanes = nil      //race:Session.lanes
	s.state = "closed" //race:Session.state
}
