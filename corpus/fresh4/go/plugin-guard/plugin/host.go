// Package plugin runs code of others.
package plugin

import (
	"fmt"
	"time"
)

// Plugin is code of others.
type Plugin func(input string) int

// Host runs plug-ins and survives their faults.
type Host struct {
	broken string
	faults int
	rest   time.Duration
}

// Launch runs a plug-in.
func (h *Host) Launch(name string, p Plugin, input string) {
	go func() {
		defer h.contain(name)
		p(input)
	}()
}

func (h *Host) contain(name string) {
	if r := recover(); r != nil {
		h.faults++                           //race:Host.faults
		h.broken = fmt.Sprint(name, ": ", r) //race:Host.broken
		time.Sleep(h.rest)
	}
}

// Health says which plug-in broke last, and how many did.
func (h *Host) Health() (string, int) {
	faults := h.faults      //race:Host.faults
	return h.broken, faults //race:Host.broken
}
