package tmpl

import (
	"fmt"
	"sync"
	"text/template"
)

// Sources finds the text of templates.
type Sources map[string]string

// Cache parses templates when they are first used.
type Cache struct {
	sources Sources
	mu      sync.RWMutex
	parsed  map[string]*template.Template
}

// NewCache makes an empty cache.
func NewCache(s Sources) *Cache {
	return &Cache{sources: s, parsed: map[string]*template.Template{}}
}

// Get returns a parsed template.
func (c *Cache) Get(name string) (*template.Template, error) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if t, ok := c.parsed[name]; ok { //race:Cache.parsed[]
		return t, nil
	}
	text, ok := c.sources[name]
	if !ok {
		return nil, fmt.Errorf("no template %q", name)
	}
	t, err := template.New(name).Parse(text)
	if err != nil {
		return nil, err
	}
	c.parsed[name] = t //race:Cache.parsed[]
	return t, nil
}

// Forget drops a template after its file has changed.
func (c *Cache) Forget(name string) {
	c.mu.Lock()
	delete(c.parsed, name)
	c.mu.Unlock()
}
