// Package ice measures glaciers.
package ice

import "time"

// Site is a place on the ice.
type Site struct {
	Name  string
	Slope float64
}

// Radar looks through ice.
type Radar interface {
	Sound(Site) (metres, noise float64)
}

// Survey measures with a radar that it does not wait for long.
type Survey struct {
	Radar    Radar
	Patience time.Duration
}

func (s *Survey) estimate(site Site) float64 {
	return 30 / (site.Slope + 0.1)
}

// Measure is how deep the ice is at a site, and how sure that is.
func (s *Survey) Measure(site Site) (depth, doubt float64) {
	heard := make(chan struct{})
	go func() {
		metres, noise := s.Radar.Sound(site)
		depth = metres //race:Measure.depth
		doubt = noise  //race:Measure.doubt
		close(heard)
	}()
	select {
	case <-heard:
		return
	case <-time.After(s.Patience):
		return s.estimate(site), 1 //race:Measure.depth,Measure.doubt
	}
}
