package conf

import (
	"strings"
	"time"
)

// Live always has the newest settings.
type Live struct {
	current *Settings
	source  func() string
}

// NewLive returns the settings that a source gives, now and later.
func NewLive(source func() string) (*Live, error) {
	l := &Live{source: source}
	return l, l.reload(1)
}

func (l *Live) reload(version int) error {
	s, err := Parse(version, strings.NewReader(l.source()))
	if err != nil {
		return err
	}
	l.current = s //race:Live.current
	return nil
}

// Watch asks the source again and again.
func (l *Live) Watch(every time.Duration, times int) {
	for i := 0; i < times; i++ {
		time.Sleep(every)
		if err := l.reload(i + 2); err != nil {
			return
		}
	}
}

// Get returns a value of the newest settings.
func (l *Live) Get(key, otherwise string) string {
	return l.current.Get(key, otherwise) //race:Live.current
}
