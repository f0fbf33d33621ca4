// Package geo finds points by the cell in which they are.
package geo

import "sort"

// Cell is what a place on earth is cut into.
type Cell interface {
	~int | ~uint64 | ~string
}

// Point is a place with a name.
type Point[C Cell] struct {
	At   C
	Name string
}

// Index has all points, ordered by cell.
type Index[C Cell] struct {
	points []Point[C]
}

// NewIndex returns an index with room for so many points.
func NewIndex[C Cell](room int) *Index[C] {
	return &Index[C]{points: make([]Point[C], 0, room)}
}

// Insert adds a point.
func (x *Index[C]) Insert(p Point[C]) {
	x.points = append(x.points, p) //race:Index.points,Index.points[]
	all := x.points
	sort.Slice(all, func(i, j int) bool { return all[i].At < all[j].At }) //race:Index.points[]
}

// Scan calls visit for every point, in order, until it returns false.
func (x *Index[C]) Scan(visit func(p Point[C]) bool) {
	all := x.points //race:Index.points
	for i := 0; i < len(all); i++ {
		p := all[i] //race:Index.points[]
		if !visit(p) {
			return
		}
	}
}
