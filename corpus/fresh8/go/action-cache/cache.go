package main

import (
	"fmt"
	"sync"
	"time"
)

type digest string

type action struct {
	mnemonic string
	inputs   []string
}

func (a action) key() digest {
	return digest(fmt.Sprint(a.mnemonic, len(a.inputs)))
}

type cacheStats struct {
	hits   int
	misses int
}

// actionCache remembers the outputs of actions.
type actionCache struct {
	outputs sync.Map
	stats   *cacheStats
}

func (c *actionCache) lookup(a action) (string, bool) {
	out, ok := c.outputs.Load(a.key())
	if !ok {
		c.stats.misses++ //race:cacheStats.misses
		return "", false
	}
	c.stats.hits++ //race:cacheStats.hits
	return out.(string), true
}

func (c *actionCache) store(a action, out string) {
	c.outputs.Store(a.key(), out)
}

type executor struct {
	cache *actionCache
}

func compile(a action) string {
	time.Sleep(time.Millisecond)
	return a.mnemonic + ".o"
}

func (e executor) execute(a action) string {
	if out, ok := e.cache.lookup(a); ok {
		return out
	}
	out := compile(a)
	e.cache.store(a, out)
	return out
}

func main() {
	cache := &actionCache{stats: &cacheStats{}}
	cache.store(action{"CppLink", nil}, "link.o")
	var wg sync.WaitGroup
	for w := 0; w < 4; w++ {
		wg.Add(1)
		go func(w int) {
			defer wg.Done()
			e := executor{cache}
			e.execute(action{fmt.Sprint("CppCompile", w), []string{"a.cc"}})
			e.execute(action{"CppLink", nil})
		}(w)
	}
	wg.Wait()
	fmt.Println(cache.stats.hits+cache.stats.misses > 0)
}
