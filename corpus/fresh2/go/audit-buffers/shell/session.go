// Package shell runs the commands of people.
package shell

import (
	"strings"
	"time"
)

// Recorder notes commands.
type Recorder interface {
	Did(who, what string)
	Refused(who, what string)
}

// Session belongs to one person.
type Session struct {
	Who  string
	Log  Recorder
	Pace time.Duration
}

// Run runs commands.
func (s *Session) Run(commands []string) {
	for _, c := range commands {
		time.Sleep(s.Pace)
		s.one(c)
	}
}

func (s *Session) one(command string) {
	if strings.HasPrefix(command, "sudo ") {
		s.Log.Refused(s.Who, command)
		return
	}
	s.Log.Did(s.Who, command)
}
