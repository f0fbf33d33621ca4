package tuning

import (
	"sort"
	"sync"
)

// Deviation is how far off a section is.
type Deviation struct {
	Section string
	Cents   float64
}

// each runs a function for every section at the same time.
func each(sections []Section, run func(Section)) {
	var all sync.WaitGroup
	for _, s := range sections {
		s := s
		all.Add(1)
		go func() {
			defer all.Done()
			run(s)
		}()
	}
	all.Wait()
}

// Tune asks every section for an A and lists the deviations.
func Tune(pitch float64, sections ...Section) []Deviation {
	deviations := make([]Deviation, 0, len(sections))
	each(sections, func(s Section) {
		d := Deviation{Section: s.Name, Cents: s.cents(pitch)}
		deviations = append(deviations, d) //race:Tune.deviations
	})
	sort.Slice(deviations, func(i, j int) bool { return deviations[i].Section < deviations[j].Section })
	return deviations
}
