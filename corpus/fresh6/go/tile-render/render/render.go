// Package render draws the tiles of an area.
package render

import (
	"context"
	"errors"
	"time"
)

type Style struct {
	Name   string
	Layers []string
}

type Box struct {
	Zoom       int
	MinX, MaxX int
	MinY, MaxY int
}

type Tile struct {
	X, Y, Z int
	PNG     []byte
}

type Renderer struct {
	style   Style
	workers int
}

func New(s Style, workers int) *Renderer {
	return &Renderer{style: s, workers: workers}
}

func (r *Renderer) draw(x, y, z int) Tile {
	time.Sleep(500 * time.Microsecond)
	png := make([]byte, 0, 8*len(r.style.Layers))
	for _, l := range r.style.Layers {
		png = append(png, l[0], byte(x), byte(y))
	}
	return Tile{X: x, Y: y, Z: z, PNG: png}
}

// Area draws all tiles of a box.
func (r *Renderer) Area(b Box, limit time.Duration) ([]Tile, error) {
	if b.MaxX < b.MinX || b.MaxY < b.MinY {
		return nil, errors.New("empty area")
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()

	var tiles []Tile
	p := startPool(ctx, r.workers)
	for x := b.MinX; x <= b.MaxX; x++ {
		for y := b.MinY; y <= b.MaxY; y++ {
			x, y := x, y
			p.submit(func() {
				t := r.draw(x, y, b.Zoom)
				tiles = append(tiles, t) //race:tiles
			})
		}
	}
	if err := p.wait(); err != nil {
		return nil, err
	}
	return tiles, nil
}
