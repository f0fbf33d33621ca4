// Package avatar is what players see of each other.
package avatar

// Step is a move of a player.
type Step struct{ DX, DY float64 }

// Avatar has a place in the world.
type Avatar struct {
	name string
	x, y float64
}

// New puts an avatar at the origin.
func New(name string) *Avatar { return &Avatar{name: name} }

// Name never changes.
func (a *Avatar) Name() string { return a.name }

// Move moves it.
func (a *Avatar) Move(s Step) {
	a.x += s.DX //race:Avatar.x
	a.y += s.DY //race:Avatar.y
}

// Position tells where it is.
func (a *Avatar) Position() (float64, float64) {
	px := a.x //race:Avatar.x
	py := a.y //race:Avatar.y
	return px, py
}
