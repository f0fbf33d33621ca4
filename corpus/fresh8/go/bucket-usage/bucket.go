package main

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

var errQuota = errors.New("quota exceeded")

type part struct {
	number int
	size   int64
}

// bucket is one tenant's share of the object store.
type bucket struct {
	mu    sync.Mutex
	name  string
	used  int64
	quota int64
}

func (b *bucket) commit(p part) {
	b.mu.Lock()
	b.used += p.size //race:bucket.used
	b.mu.Unlock()
}

func (b *bucket) admit(size int64) error {
	if b.used+size > b.quota { //race:bucket.used
		return errQuota
	}
	return nil
}

type gateway struct {
	buckets map[string]*bucket
}

func (g *gateway) put(name string, parts []part) error {
	b := g.buckets[name]
	for _, p := range parts {
		if err := b.admit(p.size); err != nil {
			return err
		}
		b.commit(p)
		time.Sleep(100 * time.Microsecond)
	}
	return nil
}

func main() {
	g := &gateway{buckets: map[string]*bucket{"photos": {name: "photos", quota: 1 << 20}}}
	var wg sync.WaitGroup
	for u := 0; u < 3; u++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			_ = g.put("photos", []part{{1, 1024}, {2, 1024}, {3, 512}})
		}()
	}
	wg.Wait()
	fmt.Println("uploaded")
}
