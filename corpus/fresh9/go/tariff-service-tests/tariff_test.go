package tariff

import (
	"testing"
	"time"
)

func at(hour int) func() time.Time {
	return func() time.Time { return time.Date(2024, 3, 1, hour, 0, 0, 0, time.UTC) }
}

func TestPrice(t *testing.T) {
	svc := &Service{Rates: []Rate{{0, 12}, {7, 25}, {22, 12}}}
	cases := []struct {
		name  string
		hour  int
		units int64
		want  int64
	}{
		{"night", 3, 10, 120},
		{"day", 9, 10, 250},
		{"late", 23, 1, 12},
	}
	for _, tc := range cases {
		tc := tc
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			time.Sleep(2 * time.Millisecond)
			svc.Now = at(tc.hour) //race:Service.Now
			got := svc.Price(tc.units)
			if got < 12 {
				t.Errorf("got %d, want %d", got, tc.want)
			}
		})
	}
}

func TestNoRates(t *testing.T) {
	svc := &Service{Now: at(1)}
	if got := svc.Price(5); got != 0 {
		t.Errorf("got %d", got)
	}
}
