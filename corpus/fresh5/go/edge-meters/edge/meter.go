package edge

// Meter adds up what passes.
type Meter struct {
	packets uint64
	peak    int
}

func (m *Meter) observe(size int) {
	m.packets++
}
