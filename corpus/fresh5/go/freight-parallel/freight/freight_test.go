package freight

import (
	"testing"
	"time"
)

func TestPrice(t *testing.T) {
	calc := NewCalculator(map[string]float64{"EU": 2, "US": 5, "JP": 7, "ZA": 9})
	for zone, kg := range map[string]float64{"EU": 1, "US": 3, "JP": 2, "ZA": 1} {
		zone, kg := zone, kg
		t.Run(zone, func(t *testing.T) {
			t.Parallel()
			for i := 0; i < 3; i++ {
				if calc.Price(zone, kg) <= 0 {
					t.Errorf("no price for %s", zone)
				}
				time.Sleep(4 * time.Millisecond)
			}
		})
	}
}
