package show

import "time"

// Programme is an evening.
type Programme struct {
	Crews []Crew
	Gap   time.Duration // between the starts of two crews
}

// Run prepares everything and returns how many lamps are lit.
func (p *Programme) Run() (int, error) {
	var (
		crews group
		err   error
		lamps int
	)
	for _, crew := range p.Crews { //race:Run.crew
		crews.run(func() {
			mine := crew //race:Run.crew
			lit, failed := mine.prepare()
			if failed != nil || lit == 0 {
				err = failed //race:Run.err
			}
			lamps += lit //race:Run.lamps
		})
		time.Sleep(p.Gap)
	}
	crews.wait()
	return lamps, err
}
