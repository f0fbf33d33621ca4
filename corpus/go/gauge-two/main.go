// Command gauge prints the newest value.
package main

import (
	"fmt"
	"time"
)

// Gauge is the newest value and its time.
type Gauge struct {
	value float64
	stamp int64
}

// Set stores a value.
func (g *Gauge) Set(v float64, at int64) {
	g.value = v  //race:Gauge.value
	g.stamp = at //race:Gauge.stamp
}

// Get returns the value and its time.
func (g *Gauge) Get() (float64, int64) {
	v := g.value      //race:Gauge.value
	return v, g.stamp //race:Gauge.stamp
}

func main() {
	g := &Gauge{}
	go g.Set(36.6, 1700000000)
	time.Sleep(20 * time.Millisecond)
	fmt.Println(g.Get())
}
