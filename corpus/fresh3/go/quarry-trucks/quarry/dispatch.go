package quarry

import "time"

// Shift is a day at the quarry.
type Shift struct {
	Fleet []Truck
	Trips int
	Gate  time.Duration // between two trucks
}

// Dispatch sends all trucks and returns what they bring.
func (s *Shift) Dispatch() int {
	scales := make(chan int, len(s.Fleet)*s.Trips)
	for _, truck := range s.Fleet { //race:Dispatch.truck
		go truck.drive(s.Trips, scales)
		time.Sleep(s.Gate)
	}
	total := 0
	for i := 0; i < cap(scales); i++ {
		total += <-scales
	}
	return total
}
