package tariff

import "time"

// Rate is a price that holds from an hour of the day.
type Rate struct {
	FromHour int
	Cents    int64
}

// Service prices usage.
type Service struct {
	Now   func() time.Time
	Rates []Rate
}

// Price is what a unit costs now.
func (s *Service) Price(units int64) int64 {
	hour := s.Now().Hour() //race:Service.Now
	cents := int64(0)
	for _, r := range s.Rates {
		if hour >= r.FromHour {
			cents = r.Cents
		}
	}
	return cents * units
}
