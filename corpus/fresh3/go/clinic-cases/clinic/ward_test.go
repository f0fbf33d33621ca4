package clinic

import (
	"testing"
	"time"
)

type admission struct {
	pulse int
	fever bool
	walk  time.Duration
}

func (a admission) run(t *testing.T, ward *Ward, p *Patient) {
	time.Sleep(a.walk)
	p.Measure(a.pulse)
	if err := ward.Admit(p); err != nil {
		t.Error(err)
	}
	time.Sleep(8 * time.Millisecond)
	if p.Fever() != a.fever {
		t.Log("somebody else's pulse")
	}
}

func TestAdmissions(t *testing.T) {
	ward, patient := NewWard(9), &Patient{Name: "Greta"}
	for name, a := range map[string]admission{
		"calm":  {60, false, 2 * time.Millisecond},
		"fever": {110, true, 5 * time.Millisecond},
	} {
		a := a
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a.run(t, ward, patient)
		})
	}
}
