package main

import (
	"errors"
	"hash/fnv"
	"math"
	"sync"
	"sync/atomic"
)

type point struct{ lat, lon float64 }

type grid struct{ step float64 }

type summary struct {
	resolved int
	spread   float64
}

var errEmpty = errors.New("no places")

func (g grid) locate(place string) point {
	h := fnv.New32a()
	_, _ = h.Write([]byte(place))
	v := float64(h.Sum32()%360) * g.step
	return point{v, -v}
}

func (p point) distance(o point) float64 {
	return math.Hypot(p.lat-o.lat, p.lon-o.lon)
}

// resolveAll locates all places and says how far they are from the first.
func (g grid) resolveAll(places []string) (s summary, err error) {
	if len(places) == 0 {
		return s, errEmpty
	}
	var (
		wg       sync.WaitGroup
		resolved atomic.Int32
		spread   float64
	)
	origin := g.locate(places[0])
	for _, place := range places[1:] {
		wg.Add(1)
		go func(place string) {
			defer wg.Done()
			d := origin.distance(g.locate(place))
			spread += d //race:spread
			resolved.Add(1)
		}(place)
	}
	wg.Wait()
	s = summary{int(resolved.Load()), spread}
	return s, nil
}
