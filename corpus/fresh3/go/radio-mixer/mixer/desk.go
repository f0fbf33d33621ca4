package mixer

import (
	"sync/atomic"
	"time"
)

// Desk has as many strips as a studio has sources.
type Desk struct {
	strips []*Strip
	period time.Duration
}

// NewDesk returns a desk with silent strips.
func NewDesk(sources ...string) *Desk {
	d := &Desk{period: 2 * time.Millisecond}
	for _, source := range sources {
		d.strips = append(d.strips, &Strip{source: source, gain: 1})
	}
	return d
}

// Run sends blocks of samples through a strip.
func (d *Desk) Run(strip int, blocks [][]int16) {
	for _, block := range blocks {
		d.strips[strip].feed(block)
		time.Sleep(d.period)
	}
}

// Cue gives a strip to another source.
func (d *Desk) Cue(strip int, source string) {
	d.strips[strip].cue(source)
}

// Clips is how often a strip was too loud.
func (d *Desk) Clips(strip int) int64 {
	return atomic.LoadInt64(&d.strips[strip].clips)
}
