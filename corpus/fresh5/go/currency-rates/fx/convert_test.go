package fx

import (
	"testing"
	"time"
)

func sampleRates() Table {
	return rates
}

var rates = Table{"EUR": 1, "USD": 1.08, "GBP": 0.84}

func TestConvert(t *testing.T) {
	cases := []struct {
		name     string
		from, to string
		set      float64
	}{
		{"same", "EUR", "EUR", 0},
		{"dollars", "EUR", "USD", 0},
		{"crisis", "USD", "GBP", 2.5},
		{"back", "GBP", "EUR", 0},
	}
	for _, tc := range cases {
		tc := tc
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			table := sampleRates()
			if tc.set != 0 {
				table[tc.to] = tc.set //race:rates[]
			}
			for i := 0; i < 3; i++ {
				if _, err := table.Convert(100, tc.from, tc.to); err != nil {
					t.Error(err)
				}
				time.Sleep(2 * time.Millisecond)
			}
		})
	}
}
