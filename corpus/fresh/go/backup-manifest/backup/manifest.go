package backup

import "fmt"

// Part is one object that was written.
type Part struct {
	Number int
	Key    string
	Size   int
}

// Manifest lists what a backup is made of.
type Manifest struct {
	name  string
	parts []Part
}

// NewManifest returns an empty manifest.
func NewManifest(name string) *Manifest {
	return &Manifest{name: name, parts: make([]Part, 0, 2)}
}

// Append adds a part and gives it its key.
func (m *Manifest) Append(number, size int) string {
	key := fmt.Sprintf("%s/part-%05d", m.name, number)
	m.parts = append(m.parts, Part{number, key, size}) //race:Manifest.parts
	return key
}

// Size is the sum over all parts.
func (m *Manifest) Size() int {
	sum := 0
	for _, p := range m.parts {
		sum += p.Size
	}
	return sum
}
