package weather

import "time"

// Forecaster turns readings into a forecast.
type Forecaster struct {
	Net   *Net
	Every time.Duration
}

// Mean asks each station once.
func (f Forecaster) Mean(stations ...string) (float64, error) {
	sum := 0.0
	for _, station := range stations {
		r, err := f.Net.Get(station)
		if err != nil {
			return 0, err
		}
		sum += r.Celsius
		time.Sleep(f.Every)
	}
	return sum / float64(len(stations)), nil
}
