// Package settings has the settings of a process, which may change while it runs.
package settings

import (
	"strconv"
	"sync/atomic"
)

// Settings are read often and replaced seldom.
type Settings struct {
	current atomic.Pointer[map[string]string]
	version atomic.Int64
}

// Load replaces all settings.
func (s *Settings) Load(values map[string]string) {
	fresh := make(map[string]string, len(values))
	for k, v := range values {
		fresh[k] = v
	}
	s.current.Store(&fresh)
	s.version.Add(1)
}

// Override changes a single one.
func (s *Settings) Override(key, value string) {
	values := *s.current.Load()
	values[key] = value //race:Settings.current[]
	s.current.Store(&values)
	s.version.Add(1)
}

// String returns a setting.
func (s *Settings) String(key string) string {
	return (*s.current.Load())[key] //race:Settings.current[]
}

// Int returns a setting that is a number.
func (s *Settings) Int(key string, otherwise int) int {
	if n, err := strconv.Atoi(s.String(key)); err == nil {
		return n
	}
	return otherwise
}
