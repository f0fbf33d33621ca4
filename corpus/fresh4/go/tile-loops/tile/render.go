// Package tile draws maps.
package tile

import (
	"sync"
	"time"
)

// Canvas takes tiles.
type Canvas struct {
	mu    sync.Mutex
	drawn map[[2]int]bool
}

func (c *Canvas) draw(z, x int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drawn[[2]int{z, x}] = true
}

// Render draws every tile of some levels.
func Render(levels, width int, pause time.Duration) *Canvas {
	c := &Canvas{drawn: map[[2]int]bool{}}
	var tiles sync.WaitGroup
	for z := 0; z < levels; z++ { //race:Render.z
		for x := 0; x < width; x++ { //race:Render.x
			tiles.Add(1)
			go func() {
				defer tiles.Done()
				level := z  //race:Render.z
				column := x //race:Render.x
				time.Sleep(4 * pause)
				c.draw(level, column)
			}()
			time.Sleep(pause)
		}
	}
	tiles.Wait()
	return c
}
