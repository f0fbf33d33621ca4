package green

import (
	"fmt"
	"strings"
	"time"
)

// House has vents that follow the weather.
type House struct {
	vents []*Vent
	every time.Duration
}

// NewHouse returns a house with vents.
func NewHouse(every time.Duration, names ...string) *House {
	h := &House{every: every}
	for _, name := range names {
		h.vents = append(h.vents, &Vent{Name: name})
	}
	return h
}

// Follow moves the vents with the wind.
func (h *House) Follow(winds ...int) {
	for _, wind := range winds {
		for _, v := range h.vents {
			v.swing(wind)
		}
		time.Sleep(h.every)
	}
}

// Report is for the gardener.
func (h *House) Report() string {
	var lines strings.Builder
	for _, v := range h.vents {
		fmt.Fprintln(&lines, v.describe())
	}
	return lines.String()
}

func (v *Vent) describe() string {
	opened := v.opened //race:Vent.opened
	jammed := v.jammed //race:Vent.jammed
	return fmt.Sprintf("%s opened %d times, jammed %d times", v.Name, opened, jammed)
}
