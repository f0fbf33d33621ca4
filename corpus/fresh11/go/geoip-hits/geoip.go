// Package geoip tells the country of an address.
package geoip

import (
	"sort"
	"sync"
)

type span struct {
	from    uint32
	country string
	hits    int
}

// DB has ranges that are replaced as a whole.
type DB struct {
	mu    sync.RWMutex
	spans []*span
}

// Load replaces all ranges.
func (db *DB) Load(starts map[uint32]string) {
	spans := make([]*span, 0, len(starts))
	for from, country := range starts {
		spans = append(spans, &span{from: from, country: country})
	}
	sort.Slice(spans, func(i, j int) bool { return spans[i].from < spans[j].from })
	db.mu.Lock()
	db.spans = spans
	db.mu.Unlock()
}

// Country looks an address up.
func (db *DB) Country(ip uint32) string {
	db.mu.RLock()
	defer db.mu.RUnlock()
	i := sort.Search(len(db.spans), func(i int) bool { return db.spans[i].from > ip })
	if i == 0 {
		return ""
	}
	s := db.spans[i-1]
	s.hits++ //race:span.hits
	return s.country
}

// Hottest is the country that is asked for most.
func (db *DB) Hottest() string {
	db.mu.Lock()
	defer db.mu.Unlock()
	best := &span{}
	for _, s := range db.spans {
		if s.hits > best.hits {
			best = s
		}
	}
	return best.country
}
