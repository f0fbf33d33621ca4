// Command smooth shows what smoothing does to a map.
package main

import (
	"fmt"

	"example.com/highlands/terrain"
)

func main() {
	g := terrain.NewGrid(64, 48)
	before := g.Mean()
	g.Smooth(3)
	fmt.Printf("%.3f -> %.3f\n", before, g.Mean())
}
