package tariff

import (
	"testing"
	"time"
)

func TestQuote(t *testing.T) {
	q := NewQuoter(map[Zone]int{"home": 300, "abroad": 900})
	for _, tc := range []struct {
		name  string
		zone  Zone
		grams int
		want  int
	}{
		{"letter", "home", 80, 300},
		{"parcel", "home", 2500, 900},
		{"far", "abroad", 1500, 1800},
	} {
		tc := tc
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			time.Sleep(4 * time.Millisecond)
			got, err := q.Quote(tc.zone, tc.grams)
			if err != nil || got != tc.want {
				t.Fatalf("got %d, %v", got, err)
			}
		})
	}
}
