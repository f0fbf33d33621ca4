package invoice

import (
	"strings"
	"testing"
)

func TestMoney(t *testing.T) {
	f := &Formatter{Symbol: "€"}
	for _, c := range []struct {
		country string
		cents   int64
	}{{"DE", 1250}, {"US", 99}, {"FR", -5}, {"GB", 100_000}} {
		t.Run(c.country, func(t *testing.T) {
			t.Parallel()
			f.Use(c.country)
			if got := f.Money(c.cents); !strings.Contains(got, "€") {
				t.Errorf("no symbol in %q", got)
			}
		})
	}
}
