package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

type object struct {
	name     string
	revision int64
}

// cache mirrors the objects of the API server.
type cache struct {
	mu       sync.RWMutex
	objects  map[string]object
	revision int64
}

func (c *cache) apply(o object) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.objects[o.name] = o
	if o.revision > c.revision {
		c.revision = o.revision //race:cache.revision
	}
}

func (c *cache) get(name string) (object, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	o, ok := c.objects[name]
	return o, ok
}

// waitFresh returns once the cache has seen a revision.
func (c *cache) waitFresh(ctx context.Context, revision int64) error {
	for !c.seen(revision) {
		select {
		case <-ctx.Done():
			return errors.New("cache is stale")
		case <-time.After(200 * time.Microsecond):
		}
	}
	return nil
}

func (c *cache) seen(revision int64) bool {
	return c.revision >= revision //race:cache.revision
}

func main() {
	c := &cache{objects: map[string]object{}}
	go func() {
		for i := int64(1); i <= 8; i++ {
			c.apply(object{fmt.Sprint("pod-", i%3), i})
			time.Sleep(300 * time.Microsecond)
		}
	}()
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	err := c.waitFresh(ctx, 6)
	_, ok := c.get("pod-1")
	fmt.Println(err == nil, ok)
}
