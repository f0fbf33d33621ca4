// Package sonar looks for fish.
package sonar

import "time"

// Settings are what the skipper chose.
type Settings struct {
	Gain  float64
	Beam  string
	Pings time.Duration
}

// Echo is what came back.
type Echo struct {
	Strength float64
	Beam     string
}

// Sweeper listens until its ship is in port.
type Sweeper struct {
	port   chan struct{}
	echoes chan Echo
	gain   float64
	beam   string
}

// Sweep starts a sweeper.
func Sweep(s Settings, warm func()) *Sweeper {
	w := &Sweeper{port: make(chan struct{}), echoes: make(chan Echo, 100)}
	go w.listen(s.Pings)
	warm()
	w.gain = s.Gain //race:Sweeper.gain
	w.beam = s.Beam //race:Sweeper.beam
	return w
}
