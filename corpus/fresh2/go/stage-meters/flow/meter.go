// Package flow passes items from stage to stage.
package flow

type meter struct {
	seen    int
	dropped int
}

// Note counts an item.
func (m *meter) Note(kept bool) {
	m.seen++ //race:meter.seen
	if !kept {
		m.dropped++ //race:meter.dropped
	}
}
