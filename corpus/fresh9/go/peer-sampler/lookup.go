package sampler

import "sync"

// Result says which peers a key was looked up at.
type Result struct {
	Key   ID
	Peers []Peer
}

// LookupAll looks several keys up at once.
func LookupAll(t *Table, keys []ID, k int) []Result {
	results := make([]Result, len(keys))
	var wg sync.WaitGroup
	wg.Add(len(keys))
	for i := range keys {
		go lookup(t, keys[i], k, &results[i], &wg)
	}
	wg.Wait()
	return results
}

func lookup(t *Table, key ID, k int, into *Result, wg *sync.WaitGroup) {
	defer wg.Done()
	into.Key = key
	into.Peers = t.Closest(key, k)
}
