package feed

import "sync"

func collect[T any](to *[]T, v T) {
	*to = append(*to, v)
}

type readers struct {
	open sync.WaitGroup
}

func (r *readers) each(sources []Source, use func(Entry)) {
	for _, s := range sources {
		r.open.Add(1)
		go func(s Source) {
			defer r.open.Done()
			for _, e := range s.Entries() {
				use(e)
			}
		}(s)
	}
	r.open.Wait()
}

// Merge returns new and old entries of all sources.
func Merge(sources []Source, limit int) (n, m int) {
	var fresh, stale []Entry
	var r readers
	r.each(sources, func(e Entry) {
		if e.Age < limit {
			collect(&fresh, e) //race:Merge.fresh
		} else {
			collect(&stale, e) //race:Merge.stale
		}
	})
	return len(fresh), len(stale)
}
