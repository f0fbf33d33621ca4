package rollout

import (
	"testing"
	"time"
)

func TestZones(t *testing.T) {
	zones := map[string]Zone{"a": {3}, "b": {5}, "c": {2}, "d": {4}}
	Zones(zones, func(name string, hosts int) {
		if hosts == 0 {
			t.Error("empty zone", name)
		}
		time.Sleep(2 * time.Millisecond)
	})
}
