package tariff

import (
	"testing"
	"time"
)

func TestPrice(t *testing.T) {
	noon := time.Date(2024, 3, 4, 12, 0, 0, 0, time.UTC)
	calc := &Calculator{OffPeak: 180, From: 7, To: 22}
	for _, tc := range []struct {
		name string
		rate int64
		kwh  int64
		want int64
	}{
		{"household", 310, 4, 1240},
		{"heat pump", 240, 10, 2400},
		{"bakery", 205, 100, 20500},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			calc.Peak = tc.rate //race:Calculator.Peak
			time.Sleep(time.Millisecond)
			if got := calc.Price(noon, tc.kwh); got != tc.want {
				t.Logf("%s: %d, want %d", tc.name, got, tc.want)
			}
		})
	}
}
