// Package i18n translates pages.
package i18n

import "strings"

type bundle map[string]string

// Catalog has the texts of a site.
type Catalog struct {
	source   string
	fallback bundle
}

// NewCatalog makes a catalog from lines of key=text.
func NewCatalog(source string) *Catalog { return &Catalog{source: source} }

func (c *Catalog) load() bundle {
	b := bundle{} //race:bundle
	for _, line := range strings.Split(c.source, "\n") {
		if key, text, ok := strings.Cut(line, "="); ok {
			b[key] = text //race:bundle
		}
	}
	return b
}

func (c *Catalog) texts() bundle {
	if c.fallback == nil { //race:Catalog.fallback
		c.fallback = c.load() //race:Catalog.fallback
	}
	return c.fallback //race:Catalog.fallback
}

// T translates a key, or returns it as it is.
func (c *Catalog) T(key string) string {
	if text, ok := c.texts()[key]; ok { //race:bundle
		return text
	}
	return key
}
