package spawn

import "testing"

func TestPopulateFillsEveryRegion(t *testing.T) {
	w := NewWorld(42, 512)
	for r, points := range w.Populate(3, 40) {
		if len(points) != 40 {
			t.Errorf("region %d has %d", r, len(points))
		}
	}
}
