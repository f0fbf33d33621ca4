// Package mixer mixes the sources of a radio programme.
package mixer

import "sync/atomic"

const loudest = 32000

// Strip is one fader with its meters.
type Strip struct {
	source string
	gain   float64
	clips  int64
}

func (s *Strip) feed(samples []int16) {
	for _, one := range samples {
		if one > loudest || one < -loudest {
			atomic.AddInt64(&s.clips, 1) //race:Strip.clips
		}
	}
}

func (s *Strip) cue(source string) {
	*s = Strip{source: source, gain: 1} //race:Strip.clips
}
