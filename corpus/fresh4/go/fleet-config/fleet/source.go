// Package fleet gives machines their settings.
package fleet

import (
	"strings"
	"sync"
)

// Settings are what a machine needs to know.
type Settings struct {
	Channel string
	Beat    int
}

// Source makes settings out of text, once.
type Source struct {
	text    string
	guard   sync.Mutex
	shared  *Settings
	regions []string
}

func (s *Source) parse() *Settings {
	return &Settings{Channel: s.text, Beat: len(s.text)} //race:Settings.Channel
}

// Shared returns the settings of the whole fleet.
func (s *Source) Shared() *Settings {
	if s.shared != nil { //race:Source.shared
		return s.shared //race:Source.shared
	}
	s.guard.Lock()
	defer s.guard.Unlock()
	if s.shared == nil { //race:Source.shared
		s.shared = s.parse() //race:Source.shared
	}
	return s.shared //race:Source.shared
}

// Regions returns the names of the regions.
func (s *Source) Regions() []string {
	if s.regions == nil { //race:Source.regions
		s.regions = strings.Fields(s.text) //race:Source.regions
	}
	return s.regions //race:Source.regions
}
