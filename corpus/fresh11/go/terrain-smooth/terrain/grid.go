// Package terrain makes height maps playable.
package terrain

import "sync"

// Grid is a height map, row by row.
type Grid struct {
	W, H  int
	cells []float32
}

// NewGrid makes hills.
func NewGrid(w, h int) *Grid {
	g := &Grid{W: w, H: h, cells: make([]float32, w*h)}
	for i := range g.cells {
		g.cells[i] = float32((i*7919)%97) / 97
	}
	return g
}

func (g *Grid) at(x, y int) float32 {
	return g.cells[y*g.W+x] //race:Grid.cells[]
}

func (g *Grid) set(x, y int, v float32) {
	g.cells[y*g.W+x] = v //race:Grid.cells[]
}

// smoothRows evens out the rows from top to bottom, bottom excluded.
func (g *Grid) smoothRows(top, bottom int) {
	for y := max(top, 1); y < min(bottom, g.H-1); y++ {
		for x := 1; x < g.W-1; x++ {
			sum := g.at(x, y-1) + g.at(x, y+1) + g.at(x-1, y) + g.at(x+1, y)
			g.set(x, y, sum/4)
		}
	}
}

// Smooth evens out the map with that many workers.
func (g *Grid) Smooth(workers int) {
	var wg sync.WaitGroup
	rows := (g.H + workers - 1) / workers
	for top := 0; top < g.H; top += rows {
		wg.Add(1)
		go func(top int) {
			defer wg.Done()
			g.smoothRows(top, top+rows)
		}(top)
	}
	wg.Wait()
}

// Mean is the average height; nobody may be smoothing.
func (g *Grid) Mean() float32 {
	var sum float32
	for _, v := range g.cells {
		sum += v
	}
	return sum / float32(len(g.cells))
}
