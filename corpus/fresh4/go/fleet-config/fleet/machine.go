package fleet

import "time"

// Machine asks its source for what it needs when it boots.
type Machine struct {
	ID     int
	Source *Source
}

// Boot gives the channel and the number of regions.
func (m Machine) Boot() (string, int) {
	time.Sleep(time.Duration(m.ID) * 5 * time.Millisecond)
	regions := m.Source.Regions()
	shared := m.Source.Shared()
	return shared.Channel, len(regions) //race:Settings.Channel
}
