// Package store holds users.
package store

// Fixture is what tests share.
type Fixture struct {
	users map[string]int
	clock int
}

// NewFixture returns a fixture with one user.
func NewFixture() *Fixture {
	return &Fixture{users: map[string]int{"ada": 1}}
}

// Add adds a user.
func (f *Fixture) Add(name string) {
	f.users[name] = len(name) //race:fixture.users
}

// Advance moves the clock.
func (f *Fixture) Advance(by int) {
	f.clock += by //race:fixture.clock
}
