package catalog

//go:noinline
func (c *Catalog) put(kind Kind, e *Entry) {
	c.entries(kind)[e.Name] = e
}

//go:noinline
func (c *Catalog) get(kind Kind, name string) *Entry {
	found := c.entries(kind)
	e, ok := found[name]
	if !ok {
		return nil
	}
	return e
}

// CreateTable adds a table.
func (c *Catalog) CreateTable(name string, columns ...string) {
	c.put(Table, &Entry{name, columns}) //race:Catalog.tables
}

// CreateView adds a view.
func (c *Catalog) CreateView(name string) {
	c.put(View, &Entry{Name: name}) //race:Catalog.views
}

// Resolve finds a table, then a view of that name.
func (c *Catalog) Resolve(name string) *Entry {
	if e := c.get(Table, name); e != nil { //race:Catalog.tables
		return e
	}
	return c.get(View, name) //race:Catalog.views
}
