package convoy

import "sync"

// Route is as long as its legs.
type Route struct {
	Via string
	Km  int
}

// Planner plans with an atlas.
type Planner struct {
	Atlas  *Atlas
	Tonnes int
}

// Plan looks for both legs of a route at the same time.
func (p *Planner) Plan(from, via, to string) (*Route, error) {
	var (
		legs   sync.WaitGroup
		km     [2]int
		err    error
		places = [...]string{from, via, to}
	)
	for i := range km {
		legs.Add(1)
		go func(i int) {
			defer legs.Done()
			km[i], err = p.Atlas.leg(places[i], places[i+1], p.Tonnes) //race:Plan.err
		}(i)
	}
	legs.Wait()
	if err != nil {
		return nil, err
	}
	return &Route{Via: via, Km: km[0] + km[1]}, nil
}
