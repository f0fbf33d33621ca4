// Package route finds ways.
package route

// World is a map with cities.
type World struct {
	cities []string
	visits int
}

// Found adds a city.
func (w *World) Found(name string) int {
	w.cities = append(w.cities, name) //race:world.cities
	return len(name)
}

// Visit counts a visit.
func (w *World) Visit() {
	w.visits++ //race:world.visits
}
