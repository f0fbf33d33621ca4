// Package ddl runs statements that change the catalogue.
package ddl

import (
	"strings"

	"github.com/deadheat-corpus/catalog/catalog"
)

// Owner applies changes one after the other.
type Owner struct {
	catalog *catalog.Catalog
}

// NewOwner returns the owner of a catalogue.
func NewOwner(c *catalog.Catalog) *Owner {
	return &Owner{c}
}

// Apply runs statements.
func (o *Owner) Apply(statements ...string) {
	for _, one := range statements {
		o.run(strings.Fields(one))
	}
}

func (o *Owner) run(words []string) {
	switch words[1] {
	case "table":
		o.catalog.CreateTable(words[2], words[3:]...)
	case "view":
		o.catalog.CreateView(words[2])
	}
}
