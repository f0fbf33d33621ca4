package seeds

import "sort"

// Line is a line of the inventory.
type Line struct {
	Plant string
	Grams int
}

// Inventory lists the vault by plant.
func Inventory(v *Vault) []Line {
	lines := make([]Line, 0, 16)
	for plant, d := range v.drawers { //race:Vault.drawers[]
		lines = append(lines, Line{plant, d.Grams})
	}
	sort.Slice(lines, func(i, j int) bool { return lines[i].Plant < lines[j].Plant })
	return lines
}
