package orchard

import "fmt"

// Row is a row of trees with one valve.
type Row struct {
	Name  string
	Probe *Probe
	Dry   float64
}

// Decide says whether to open the valve, and why.
func (r *Row) Decide(raw float64) (open bool, why string) {
	wet := raw * r.Probe.Scale()
	return wet < r.Dry, fmt.Sprintf("%s: %.1f %s", r.Name, wet, r.Probe.Unit())
}
