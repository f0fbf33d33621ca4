package main

import (
	"fmt"
	"hash/fnv"
	"sync"
	"time"
)

type object struct {
	offset int64
	base   string
	delta  string
}

type entry struct {
	sum    uint64
	offset int64
}

// packIndex maps the objects of a packfile to their offsets.
type packIndex struct {
	version int
	entries []entry
}

func (p *packIndex) insert(sum uint64, offset int64) {
	p.entries = append(p.entries, entry{sum, offset}) //race:packIndex.entries
}

func resolve(o object) uint64 {
	h := fnv.New64a()
	h.Write([]byte(o.base))
	h.Write([]byte(o.delta))
	return h.Sum64()
}

func build(objects []object, workers int) *packIndex {
	idx := &packIndex{version: 2, entries: make([]entry, 0, len(objects))}
	work := make(chan object, len(objects))
	for _, o := range objects {
		work <- o
	}
	close(work)
	var wg sync.WaitGroup
	wg.Add(workers)
	for w := 0; w < workers; w++ {
		go func() {
			defer wg.Done()
			for o := range work {
				idx.insert(resolve(o), o.offset)
				time.Sleep(100 * time.Microsecond)
			}
		}()
	}
	wg.Wait()
	return idx
}

func main() {
	var objects []object
	for i := 0; i < 24; i++ {
		objects = append(objects, object{int64(i * 128), "tree", fmt.Sprint("blob ", i)})
	}
	idx := build(objects, 3)
	fmt.Println("version", idx.version, len(idx.entries) > 0)
}
