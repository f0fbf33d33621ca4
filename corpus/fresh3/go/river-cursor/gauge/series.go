// Package gauge reads the levels of rivers.
package gauge

// Level is a reading.
type Level struct {
	Hour int
	Cm   int
}

// Series are the readings of one gauge; they do not change.
type Series struct {
	River  string
	levels []Level
}

// NewSeries returns the readings of a gauge, hour by hour.
func NewSeries(river string, cm ...int) *Series {
	s := &Series{River: river}
	for hour, one := range cm {
		s.levels = append(s.levels, Level{hour, one})
	}
	return s
}
