package main

import (
	"fmt"

	"example.com/mosaic/tiles/encode"
)

func main() {
	var tiles []encode.Tile
	for i := 0; i < 10; i++ {
		tiles = append(tiles, encode.Tile{Key: fmt.Sprintf("%d/%d", i/4, i%4), Data: []byte{byte(i), 3, 7}})
	}
	n := 0
	for delta := range encode.Deltas(tiles) {
		n += len(delta)
	}
	fmt.Println("bytes:", n > 0)
}
