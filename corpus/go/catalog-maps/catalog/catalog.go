// Package catalog knows tables and views.
package catalog

// Kind says what an entry is.
type Kind int

// What a catalogue holds.
const (
	Table Kind = iota
	View
)

// Entry is one table or view.
type Entry struct {
	Name    string
	Columns []string
}

// Catalog holds every entry by name.
type Catalog struct {
	tables map[string]*Entry
	views  map[string]*Entry
}

// New returns an empty catalogue.
func New() *Catalog {
	return &Catalog{tables: map[string]*Entry{}, views: map[string]*Entry{}}
}

func (c *Catalog) entries(kind Kind) map[string]*Entry {
	if kind == View {
		return c.views
	}
	return c.tables
}
