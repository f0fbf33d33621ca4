// Package seeds keeps seeds for bad years.
package seeds

import "errors"

// ErrNone is the answer when nothing is left.
var ErrNone = errors.New("seeds: none left")

// Drawer has the seeds of one plant.
type Drawer struct {
	Plant string
	Grams int
}

// Vault has drawers by plant.
type Vault struct {
	drawers map[string]Drawer
}

// Fill returns a vault.
func Fill(drawers ...Drawer) *Vault {
	v := &Vault{drawers: make(map[string]Drawer, len(drawers))}
	for _, d := range drawers {
		v.drawers[d.Plant] = d
	}
	return v
}

// Take takes seeds out; an empty drawer goes.
func (v *Vault) Take(plant string, grams int) error {
	d, ok := v.drawers[plant] //race:Vault.drawers[]
	if !ok || d.Grams < grams {
		return ErrNone
	}
	if d.Grams == grams {
		delete(v.drawers, plant) //race:Vault.drawers[]
		return nil
	}
	d.Grams -= grams
	v.drawers[plant] = d //race:Vault.drawers[]
	return nil
}
