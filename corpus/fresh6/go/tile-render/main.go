package main

import (
	"fmt"
	"time"

	"github.com/deadheat-corpus/tilerender/render"
)

func main() {
	style := render.Style{Name: "terrain", Layers: []string{"relief", "water", "labels"}}
	r := render.New(style, 3)
	tiles, err := r.Area(render.Box{Zoom: 4, MinX: 2, MaxX: 4, MinY: 1, MaxY: 2}, time.Second)
	if err != nil {
		fmt.Println("render:", err)
		return
	}
	fmt.Println("tiles", len(tiles))
}
