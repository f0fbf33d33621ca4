package head

import "math"

// Head is the block that is still being written.
type Head struct {
	shards  []*shard
	minTime int64
	maxTime int64
}

type shard struct {
	samples int
}

// Open makes a head with n shards.
func Open(n int) *Head {
	h := &Head{minTime: math.MaxInt64, maxTime: math.MinInt64}
	for i := 0; i < n; i++ {
		h.shards = append(h.shards, &shard{})
	}
	return h
}

// Append takes one sample into its shard.
func (h *Head) Append(series uint64, ts int64) {
	h.shards[series%uint64(len(h.shards))].samples++
	h.widen(ts)
}

func (h *Head) widen(ts int64) {
	if ts < h.minTime { //race:Head.minTime
		h.minTime = ts //race:Head.minTime
	}
	if ts > h.maxTime { //race:Head.maxTime
		h.maxTime = ts //race:Head.maxTime
	}
}

// Meta is what goes into the meta file.
type Meta struct {
	Min, Max int64
}

// Describe fills the meta file of the block.
func (h *Head) Describe() Meta {
	var m Meta
	m.Min = h.minTime //race:Head.minTime
	m.Max = h.maxTime //race:Head.maxTime
	return m
}
