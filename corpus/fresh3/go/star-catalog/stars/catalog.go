// Package stars lists what telescopes find.
package stars

import "time"

// Star is a find.
type Star struct {
	Name     string
	Spectrum string
}

// Catalog has an index of names and one of spectra.
type Catalog struct {
	byName     index
	bySpectrum index
}

// NewCatalog returns an empty catalogue.
func NewCatalog() *Catalog {
	return &Catalog{byName: make(index), bySpectrum: make(index)}
}

// Enter adds a star.
func (c *Catalog) Enter(s Star) {
	c.byName.add(s.Name)         //race:Catalog.byName[]
	c.bySpectrum.add(s.Spectrum) //race:Catalog.bySpectrum[]
}

// Known is how often a name was entered, and how many stars are like it.
func (c *Catalog) Known(s Star) (names, alike int) {
	names = c.byName.count(s.Name)         //race:Catalog.byName[]
	alike = c.bySpectrum.count(s.Spectrum) //race:Catalog.bySpectrum[]
	return names, alike
}

// Telescope finds stars all night.
type Telescope struct {
	Catalog  *Catalog
	Exposure time.Duration
}

// Observe enters what it finds, unless it is known.
func (t Telescope) Observe(stars ...Star) {
	for _, s := range stars {
		if names, _ := t.Catalog.Known(s); names == 0 {
			t.Catalog.Enter(s)
		}
		time.Sleep(t.Exposure)
	}
}
