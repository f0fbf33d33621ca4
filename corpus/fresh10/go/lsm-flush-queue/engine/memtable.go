package engine

import "sort"

// entry is one version of a key.
type entry struct {
	key, value string
	seq        uint64
}

// memtable keeps entries in order of arrival until it is frozen.
type memtable struct {
	entries []entry
	size    int
}

func (m *memtable) add(e entry) int {
	m.entries = append(m.entries, e)
	m.size += len(e.key) + len(e.value)
	return m.size
}

func (m *memtable) sorted() []entry {
	out := append([]entry(nil), m.entries...)
	sort.Slice(out, func(i, j int) bool {
		if out[i].key != out[j].key {
			return out[i].key < out[j].key
		}
		return out[i].seq > out[j].seq
	})
	return out
}
