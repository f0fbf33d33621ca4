// Package plugins knows what extensions there are.
package plugins

import (
	"errors"
	"sync"
)

// Plugin is an extension.
type Plugin interface {
	Version() string
}

// ErrTaken is returned for a name that is in use.
var ErrTaken = errors.New("name is taken")

// Registry has plugins by name.
type Registry struct {
	mu     sync.RWMutex
	byName map[string]Plugin
}

// NewRegistry makes an empty registry.
func NewRegistry() *Registry {
	return &Registry{byName: make(map[string]Plugin)}
}

// Register adds a plugin.
func (r *Registry) Register(name string, p Plugin) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, taken := r.byName[name]; taken {
		return ErrTaken
	}
	r.byName[name] = p //race:Registry.byName
	return nil
}

// Remove takes a plugin out.
func (r *Registry) Remove(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.byName, name) //race:Registry.byName
}

// All returns the plugins by name.
func (r *Registry) All() map[string]Plugin {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.byName
}
