package main

import (
	"fmt"
	"sync"
	"time"
)

type profile struct {
	name string
	tier int
}

func warm(c *Cache[string, profile], ids []string) {
	for i, id := range ids {
		c.Set(id, profile{name: "user " + id, tier: i % 3})
		time.Sleep(200 * time.Microsecond)
	}
}

func main() {
	c := NewCache[string, profile](20 * time.Millisecond)
	var wg sync.WaitGroup
	for _, ids := range [][]string{{"a", "b", "c"}, {"d", "e", "f"}} {
		wg.Add(1)
		go func(ids []string) {
			defer wg.Done()
			warm(c, ids)
		}(ids)
	}
	wg.Wait()
	p, ok := c.Get("a")
	fmt.Println(p.name, ok)
}
