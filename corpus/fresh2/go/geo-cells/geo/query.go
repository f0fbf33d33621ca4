package geo

// Filter says whether a point is wanted.
type Filter[C Cell] func(p Point[C]) bool

// All wants what every filter wants.
func All[C Cell](filters ...Filter[C]) Filter[C] {
	return func(p Point[C]) bool {
		for _, wanted := range filters {
			if !wanted(p) {
				return false
			}
		}
		return true
	}
}

// Within wants the points between two cells.
func Within[C Cell](low, high C) Filter[C] {
	return func(p Point[C]) bool { return low <= p.At && p.At < high }
}

// Names lists the points that a filter wants.
func Names[C Cell](x *Index[C], wanted Filter[C]) []string {
	var names []string
	x.Scan(func(p Point[C]) bool {
		if wanted(p) {
			names = append(names, p.Name)
		}
		return true
	})
	return names
}
