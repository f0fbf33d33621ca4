// Package stats keeps the extremes of a service.
package stats

// Stats are the extremes seen so far.
type Stats struct {
	maxLatency int64
	maxBytes   int64
	maxDepth   int64
}

//go:noinline
func storeMax(p *int64, v int64) {
	if *p < v {
		*p = v
	}
}

//go:noinline
func load(p *int64) int64 {
	return *p
}

// Request takes one request into account.
func (s *Stats) Request(latency, bytes int64) {
	storeMax(&s.maxLatency, latency) //race:Stats.maxLatency
	storeMax(&s.maxBytes, bytes)     //race:Stats.maxBytes
}

// Queue takes the depth of a queue into account.
func (s *Stats) Queue(depth int64) {
	storeMax(&s.maxDepth, depth) //race:Stats.maxDepth
}

// Snapshot returns all extremes.
func (s *Stats) Snapshot() [3]int64 {
	var all [3]int64
	all[0] = load(&s.maxLatency) //race:Stats.maxLatency
	all[1] = load(&s.maxBytes)   //race:Stats.maxBytes
	all[2] = load(&s.maxDepth)   //race:Stats.maxDepth
	return all
}
