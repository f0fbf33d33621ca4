package meter

// Meter counts what a bucket did.
type Meter struct {
	used   int64
	denied int64
}

// Take books n units, or a denial if the limit is reached.
func (m *Meter) Take(n, limit int64) bool {
	if m.used+n > limit { //race:Meter.used
		m.denied++ //race:Meter.denied
		return false
	}
	m.used += n //race:Meter.used
	return true
}

// Sample is a view of a meter at one moment.
type Sample struct {
	Used, Denied int64
}

// Sample reads the meter.
func (m *Meter) Sample() (s Sample) {
	s.Used = m.used     //race:Meter.used
	s.Denied = m.denied //race:Meter.denied
	return s
}
