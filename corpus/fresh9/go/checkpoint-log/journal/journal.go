package journal

import (
	"sync"
	"time"
)

// Record of a change.
type Record struct {
	LSN  uint64
	Page uint32
	Data []byte
}

// Pages is where records end up.
type Pages interface {
	Apply(Record)
}

// Journal keeps records until they are applied to pages.
type Journal struct {
	mu      sync.Mutex
	records []Record
	next    uint64
	pages   Pages
}

// Open makes an empty journal.
func Open(p Pages) *Journal { return &Journal{pages: p} }

// Append adds a record and returns its number.
func (j *Journal) Append(page uint32, data []byte) uint64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.next++
	j.records = append(j.records, Record{j.next, page, data}) //race:Journal.records
	return j.next
}

// Checkpoint applies what is there and forgets it.
func (j *Journal) Checkpoint() int {
	j.mu.Lock()
	n := len(j.records)
	batch := make([]Record, n)
	copy(batch, j.records)
	j.mu.Unlock()

	for _, r := range batch {
		j.pages.Apply(r)
	}
	j.records = j.records[n:] //race:Journal.records
	return n
}

// Run checkpoints now and then.
func (j *Journal) Run(every time.Duration, stop <-chan struct{}) {
	for {
		select {
		case <-stop:
			return
		case <-time.After(every):
			j.Checkpoint()
		}
	}
}
