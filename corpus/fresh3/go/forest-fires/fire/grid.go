// Package fire maps forest fires.
package fire

// Cell is a square of forest.
type Cell uint8

// What a cell may be.
const (
	Green Cell = iota
	Burning
	Black
)

// Grid is a map of cells.
type Grid struct {
	width int
	cells []Cell
}

// NewGrid returns a green forest.
func NewGrid(width, height int) *Grid {
	return &Grid{width: width, cells: make([]Cell, width*height)}
}

func (g *Grid) mark(x, y int, c Cell) {
	g.cells[y*g.width+x] = c //race:Grid.cells[]
}

// Snapshot is the grid as it is now.
func (g *Grid) Snapshot() *Grid {
	cells := make([]Cell, len(g.cells))
	copy(cells, g.cells) //race:Grid.cells[]
	return &Grid{width: g.width, cells: cells}
}

// Burning is how many cells burn.
func (g *Grid) Burning() int {
	n := 0
	for _, c := range g.cells {
		if c == Burning {
			n++
		}
	}
	return n
}
