package promo

import (
	"testing"
	"time"
)

func TestBest(t *testing.T) {
	standard := []Rule{
		{"WELCOME", 0, 5},
		{"SPRING", 5000, 10},
		{"BULK", 20000, 20},
	}
	cases := map[string]struct {
		rules  []Rule
		basket int
		want   string
	}{
		"small":  {standard, 900, "WELCOME"},
		"medium": {standard, 6000, "SPRING"},
		"large":  {standard, 25000, "BULK"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for extra := 0; extra < 3; extra++ {
				got, ok := Best(tc.rules, tc.basket+extra)
				if !ok || got.Code != tc.want {
					t.Logf("%s: got %q", name, got.Code)
				}
				time.Sleep(time.Millisecond)
			}
		})
	}
}
