// Package clinic looks after patients.
package clinic

// Patient lies in a bed.
type Patient struct {
	Name  string
	pulse int
}

// Measure keeps a pulse.
func (p *Patient) Measure(pulse int) {
	p.pulse = pulse //race:Patient.pulse
}

// Fever tells whether the pulse is that of somebody with a fever.
func (p *Patient) Fever() bool {
	return p.pulse > 100 //race:Patient.pulse
}
