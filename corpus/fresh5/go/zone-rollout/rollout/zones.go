package rollout

import (
	"sync"
	"time"
)

// Zone is a part of a region.
type Zone struct {
	Hosts int
}

// Deploy deploys to a zone.
type Deploy func(name string, hosts int)

// Zones deploys to all zones.
func Zones(zones map[string]Zone, deploy Deploy) {
	var wg sync.WaitGroup
	for name, zone := range zones { //race:Zones.name,Zones.zone
		wg.Add(1)
		task := func() {
			defer wg.Done()
			title := name       //race:Zones.name
			hosts := zone.Hosts //race:Zones.zone
			deploy(title, hosts)
		}
		go task()
		time.Sleep(400 * time.Microsecond)
	}
	wg.Wait()
}
