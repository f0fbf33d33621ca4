package ice

// Profile measures along a line.
func (s *Survey) Profile(sites ...Site) (mean float64) {
	sum, weight := 0.0, 0.0
	for _, site := range sites {
		depth, doubt := s.Measure(site)
		sum += depth / (doubt + 1)
		weight += 1 / (doubt + 1)
	}
	return sum / weight
}
