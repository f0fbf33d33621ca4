package loader

import "time"

// Fetch gets many rows at once.
type Fetch func(keys []int) map[int]string

// Loader gathers the keys of one request into batches.
type Loader struct {
	fetch     Fetch
	wait      time.Duration
	scheduled bool
	keys      []int
	batches   chan int
}

// New makes a loader.
func New(fetch Fetch, wait time.Duration) *Loader {
	return &Loader{fetch: fetch, wait: wait, batches: make(chan int, 32)}
}

// Prime asks for a key with the next batch.
func (l *Loader) Prime(key int) {
	l.keys = append(l.keys, key) //race:Loader.keys
	if l.scheduled {             //race:Loader.scheduled
		return
	}
	l.scheduled = true //race:Loader.scheduled
	time.AfterFunc(l.wait, l.dispatch)
}

func (l *Loader) dispatch() {
	l.scheduled = false //race:Loader.scheduled
	batch := l.keys     //race:Loader.keys
	l.keys = nil        //race:Loader.keys
	l.batches <- len(batch)
}
