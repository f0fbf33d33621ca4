package conf

import (
	"errors"
	"time"
)

// Parse turns text into settings.
type Parse func(text string) (map[string]string, error)

// Watcher reads settings.
type Watcher struct {
	parse    Parse
	counters Counters
}

// NewWatcher returns a watcher with a parser.
func NewWatcher(parse Parse) *Watcher {
	return &Watcher{parse: parse}
}

// Strict refuses empty text.
func Strict(next Parse) Parse {
	return func(text string) (map[string]string, error) {
		if text == "" {
			return nil, errors.New("conf: empty")
		}
		return next(text)
	}
}

// Follow reads one version after the other.
func (w *Watcher) Follow(versions []string, pause time.Duration) {
	for _, text := range versions {
		time.Sleep(pause)
		if _, err := w.parse(text); err != nil {
			continue
		}
		w.counters.Reloaded()
	}
}

// Begin begins a new report.
func (w *Watcher) Begin() {
	w.counters = Counters{since: time.Now().Unix()} //race:Counters.reloads
}
