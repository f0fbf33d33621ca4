// Package conf has settings that change while the program runs.
package conf

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// Settings never change; others take their place.
type Settings struct {
	Version int
	values  map[string]string
}

// Get returns a value, or what to use without one.
func (s *Settings) Get(key, otherwise string) string {
	if v, ok := s.values[key]; ok { //race:Settings.values,Settings.values[]
		return v
	}
	return otherwise
}

// Parse reads lines such as `key = value`.
func Parse(version int, r io.Reader) (*Settings, error) {
	s := &Settings{Version: version, values: make(map[string]string)} //race:Settings.values
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		if !ok {
			return nil, fmt.Errorf("conf: not a setting: %q", line)
		}
		s.values[strings.TrimSpace(key)] = strings.TrimSpace(value) //race:Settings.values[]
	}
	return s, lines.Err()
}
