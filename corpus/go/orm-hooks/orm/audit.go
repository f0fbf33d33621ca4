package orm

// Audit counts changes and returns the two counts.
func Audit(m *Model) func() (int, int) {
	created, updated := 0, 0
	m.hooks.On("create", func(int) {
		created++ //race:created
	})
	m.hooks.On("update", func(int) {
		updated++ //race:updated
	})
	return func() (int, int) {
		n := created      //race:created
		return n, updated //race:updated
	}
}
