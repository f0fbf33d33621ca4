package main

import (
	"fmt"
	"sync"
)

type tile struct {
	key  string
	data string
}

// cache keeps the tile that was read last at its front.
type cache struct {
	tiles map[string]*tile
	front *tile
}

func newCache(keys ...string) *cache {
	c := &cache{tiles: map[string]*tile{}}
	for _, key := range keys {
		c.tiles[key] = &tile{key: key, data: "png of " + key}
	}
	return c
}

func (c *cache) touch(t *tile) {
	c.front = t //race:cache.front
}

func (c *cache) get(key string) (string, bool) {
	t, ok := c.tiles[key]
	if !ok {
		return "", false
	}
	c.touch(t)
	return t.data, true
}

func (c *cache) warmest() string {
	if t := c.front; t != nil { //race:cache.front
		return t.key
	}
	return ""
}

func main() {
	c := newCache("0/0/0", "1/0/1", "1/1/0")
	var wg sync.WaitGroup
	for _, key := range []string{"0/0/0", "1/0/1", "1/1/0"} {
		wg.Add(1)
		go func(key string) {
			defer wg.Done()
			c.get(key)
			_ = c.warmest()
		}(key)
	}
	wg.Wait()
	fmt.Println("warm", c.warmest() != "")
}
