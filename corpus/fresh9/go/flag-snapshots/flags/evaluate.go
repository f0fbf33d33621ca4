package flags

import "hash/fnv"

// Evaluator answers whether a flag is on for a unit.
type Evaluator struct{ store *Store }

// NewEvaluator evaluates against a store.
func NewEvaluator(s *Store) *Evaluator { return &Evaluator{s} }

// Enabled says whether a flag is on.
func (e *Evaluator) Enabled(key, unit string) bool {
	for _, f := range e.store.All() { //race:Store.flags[]
		if f.Key == key {
			return bucket(key+"/"+unit) < f.Percent
		}
	}
	return false
}

func bucket(s string) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(s))
	return int(h.Sum32() % 100)
}
