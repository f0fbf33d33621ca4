package archive

import (
	"strings"
	"time"
)

// Frame is a find.
type Frame struct {
	Text string
	Size int64
}

// Reel is a part of a film; it takes time to wind.
type Reel struct {
	Texts []string
	Wind  time.Duration
}

func (r Reel) scan(want string) (Frame, bool) {
	time.Sleep(r.Wind)
	for _, text := range r.Texts {
		if strings.Contains(text, want) {
			return Frame{Text: text, Size: int64(len(text))}, true
		}
	}
	return Frame{}, false
}

// Store has the reels of every film.
type Store map[string][]Reel

// Reels lists the reels of a film.
func (s Store) Reels(title string) []Reel {
	return s[title]
}
