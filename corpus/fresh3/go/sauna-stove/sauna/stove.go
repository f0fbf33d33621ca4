// Package sauna heats a sauna.
package sauna

import "time"

// Heater is what a stove is made of.
type Heater interface {
	Heat(degrees float64) float64
}

// Coil is a heater.
type Coil struct {
	Watts float64
}

// Heat is the temperature after a while.
func (c Coil) Heat(degrees float64) float64 {
	return degrees + c.Watts/1000
}

// Stove runs until it is off.
type Stove struct {
	heater Heater
	off    bool
	every  time.Duration
	final  chan float64
}

// Light starts a stove.
func Light(h Heater, every time.Duration) *Stove {
	s := &Stove{heater: h, every: every, final: make(chan float64, 1)}
	go s.burn(20)
	return s
}

func (s *Stove) burn(degrees float64) {
	for s.on() {
		degrees = s.heater.Heat(degrees)
		time.Sleep(s.every)
	}
	s.final <- degrees
}

func (s *Stove) on() bool {
	return !s.off //race:Stove.off
}

// Off ends the heating and returns how warm it got.
func (s *Stove) Off() float64 {
	s.off = true //race:Stove.off
	return <-s.final
}
