// Package pipe batches points.
package pipe

import "time"

// Point is a measurement.
type Point struct {
	Name  string
	Value float64
}

// Pipe takes points and hands them on in batches.
type Pipe struct {
	points chan Point
}

// New makes a pipe with room for some points.
func New(room int) *Pipe { return &Pipe{points: make(chan Point, room)} }

// Record sends a point in the background, so that the caller is never held up.
func (p *Pipe) Record(name string, v float64) {
	go func() {
		p.points <- Point{name, v} //race:Pipe.points
	}()
}

// Stop ends the pipe and returns what it has.
func (p *Pipe) Stop() []Point {
	close(p.points) //race:Pipe.points
	var rest []Point
	for pt := range p.points {
		rest = append(rest, pt)
	}
	return rest
}

// Settle waits for a moment of rest.
func (p *Pipe) Settle(d time.Duration) { time.Sleep(d) }
