// Package encode stores tiles as differences to their neighbours.
package encode

import "sync"

// Tile is a square of the map.
type Tile struct {
	Key  string
	Data []byte
}

func delta(base string, t Tile) []byte {
	out := make([]byte, 0, len(t.Data)+len(base)+1)
	out = append(out, base...)
	out = append(out, '+')
	for _, b := range t.Data {
		out = append(out, b^byte(len(base)))
	}
	return out
}

// Deltas encodes every tile against the one before it. The order is not kept.
func Deltas(tiles []Tile) <-chan []byte {
	out := make(chan []byte, len(tiles))
	var workers sync.WaitGroup
	base := ""
	for _, t := range tiles {
		workers.Add(1)
		go func() {
			defer workers.Done()
			out <- delta(base, t) //race:base
		}()
		base = t.Key //race:base
	}
	go func() {
		workers.Wait()
		close(out)
	}()
	return out
}
