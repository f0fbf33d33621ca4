package pipe

// Dedupe returns a predicate that lets every value through once, and a way to ask how many it dropped.
func Dedupe[K comparable](size int, pace func(K)) (Predicate[K], func() int) {
	seen := make(map[K]struct{}, size)
	dropped := 0
	keep := func(v K) bool {
		pace(v)
		if _, dup := seen[v]; dup { //race:Dedupe.seen[]
			dropped++ //race:Dedupe.dropped
			return false
		}
		seen[v] = struct{}{} //race:Dedupe.seen[]
		return true
	}
	return keep, func() int { return dropped } //race:Dedupe.dropped
}
