package conf

import "strings"

// Watcher reloads settings when they change.
type Watcher struct {
	config *Config
}

// Watch returns a watcher of settings.
func Watch(c *Config) *Watcher {
	return &Watcher{c}
}

// Changed takes new text in.
func (w *Watcher) Changed(text string) {
	w.reload(strings.Fields(text)) //race:Config.hosts[]
}

func (w *Watcher) reload(words []string) {
	c := w.config
	c.level = words[0]           //race:Config.level
	c.rate = float64(len(words)) //race:Config.rate
	c.hosts = words[1:]          //race:Config.hosts
}
