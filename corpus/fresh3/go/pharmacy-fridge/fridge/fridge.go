// Package fridge keeps medicine cold.
package fridge

import (
	"fmt"
	"time"
)

// Sensor tells a temperature.
type Sensor interface {
	Celsius() float64
}

// Fixed is a sensor for a room that never changes.
type Fixed float64

// Celsius is always the same.
func (f Fixed) Celsius() float64 { return float64(f) }

// Fridge checks its temperature until it is closed.
type Fridge struct {
	name   string
	sensor Sensor
	off    chan struct{}
	gone   chan struct{}
}

// Open switches a fridge on.
func Open(name string, sensor Sensor, every time.Duration) *Fridge {
	f := &Fridge{name: name, sensor: sensor, off: make(chan struct{}), gone: make(chan struct{})}
	go f.thermostat(every)
	return f
}

// Close switches it off and waits for the thermostat.
func (f *Fridge) Close() {
	close(f.off)
	<-f.gone
}

func (f *Fridge) thermostat(every time.Duration) {
	defer close(f.gone)
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-f.off:
			return
		case <-tick.C:
			f.check()
		}
	}
}

func (f *Fridge) check() {
	if c := f.sensor.Celsius(); c > 8 {
		book(fmt.Sprintf("%s is at %.1f", f.name, c))
	}
}
