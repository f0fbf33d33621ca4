// Package orm stores records.
package orm

// Model stores records of one type.
type Model struct {
	hooks Hooks
}

// Create stores a new record.
func (m *Model) Create(id int) {
	m.save("create", id)
}

// Update stores a record again.
func (m *Model) Update(id int) {
	m.save("update", id)
}

func (m *Model) save(event string, id int) {
	m.hooks.fire(event, id)
}
