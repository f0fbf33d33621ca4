package segments

import (
	"fmt"
	"sync"
	"time"
)

// Putter stores a segment.
type Putter interface {
	Put(name string, data []byte) error
}

// Stats of one upload run.
type Stats struct {
	mu    sync.Mutex
	Bytes int
	Took  map[string]time.Duration
}

// Uploader puts segments with some goroutines.
type Uploader struct {
	to    Putter
	stats Stats
}

// New makes an uploader.
func New(p Putter) *Uploader {
	return &Uploader{to: p, stats: Stats{Took: map[string]time.Duration{}}}
}

// Upload puts all segments and returns the statistics.
func (u *Uploader) Upload(segments [][]byte) *Stats {
	var wg sync.WaitGroup
	for i, s := range segments {
		wg.Add(1)
		go u.one(fmt.Sprintf("seg-%03d.ts", i), s, &wg)
	}
	wg.Wait()
	return &u.stats
}

func (u *Uploader) one(name string, data []byte, wg *sync.WaitGroup) {
	begin := time.Now()
	defer func() {
		u.stats.mu.Lock()
		defer u.stats.mu.Unlock()
		u.stats.Took[name] = time.Since(begin)
		u.stats.Bytes += len(data) //race:Stats.Bytes
	}()
	defer wg.Done()
	if err := u.to.Put(name, data); err != nil {
		fmt.Println(err)
	}
}
