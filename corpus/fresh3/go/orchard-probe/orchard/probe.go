// Package orchard waters trees when the soil is dry.
package orchard

import "time"

// Datasheet has what makers say of their probes.
type Datasheet struct {
	scales map[string]float64
	units  map[string]string
	slow   time.Duration
}

func (d *Datasheet) scaleOf(model string) float64 {
	time.Sleep(d.slow)
	return d.scales[model]
}

func (d *Datasheet) unitOf(model string) string {
	time.Sleep(d.slow)
	return d.units[model]
}

// Probe measures how wet the soil is.
type Probe struct {
	model string
	sheet *Datasheet
	scale float64
	unit  string
}

// Scale is by what a raw value is multiplied.
func (p *Probe) Scale() float64 {
	if p.scale == 0 { //race:Probe.scale
		p.scale = p.sheet.scaleOf(p.model) //race:Probe.scale
	}
	return p.scale //race:Probe.scale
}

// Unit is what it is measured in.
func (p *Probe) Unit() string {
	if p.unit == "" { //race:Probe.unit
		p.unit = p.sheet.unitOf(p.model) //race:Probe.unit
	}
	return p.unit //race:Probe.unit
}
