// Package prefs merges what a tenant wants with what everybody gets.
package prefs

// Prefs is a set of preferences.
type Prefs struct {
	Theme string
	Size  int
	Tags  map[string]bool
}

// WithSize changes the size.
func (p *Prefs) WithSize(n int) *Prefs {
	if n > 0 {
		p.Size = n //race:defaults.Size
	}
	return p
}

// WithTag adds a tag.
func (p *Prefs) WithTag(name string) *Prefs {
	p.Tags[name] = true //race:defaults.Tags
	return p
}
