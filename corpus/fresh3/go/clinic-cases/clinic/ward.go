package clinic

import "fmt"

// Ward has beds.
type Ward struct {
	beds  int
	taken int
}

// NewWard returns an empty ward.
func NewWard(beds int) *Ward {
	return &Ward{beds: beds}
}

// Admit gives a bed to a patient.
func (w *Ward) Admit(p *Patient) error {
	if w.taken == w.beds { //race:Ward.taken
		return fmt.Errorf("clinic: no bed for %s", p.Name)
	}
	w.taken++ //race:Ward.taken
	return nil
}
