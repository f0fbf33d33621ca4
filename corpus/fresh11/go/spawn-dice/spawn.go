// Package spawn puts monsters into a world.
package spawn

import (
	"math/rand"
	"sync"
)

// Point is where a monster stands.
type Point struct{ X, Y int }

// World is made from a seed.
type World struct {
	size int
	dice *rand.Rand
}

// NewWorld makes a world that is the same for the same seed.
func NewWorld(seed int64, size int) *World {
	return &World{size: size, dice: rand.New(rand.NewSource(seed))}
}

func (w *World) place() Point {
	return Point{w.dice.Intn(w.size), w.dice.Intn(w.size)} //race:World.dice
}

// Populate places that many monsters in each region.
func (w *World) Populate(regions, each int) [][]Point {
	out := make([][]Point, regions)
	var wg sync.WaitGroup
	for r := range out {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := 0; i < each; i++ {
				out[r] = append(out[r], w.place())
			}
		}()
	}
	wg.Wait()
	return out
}
