package rates

import (
	"context"
	"testing"
	"time"
)

func TestRate(t *testing.T) {
	slow := func(currency string) (string, error) {
		time.Sleep(10 * time.Millisecond)
		return "1.0825 " + currency, nil
	}
	cases := map[string]string{"dollar": "USD", "pound": "GBP"}
	for name, currency := range cases {
		t.Run(name, func(t *testing.T) {
			b := NewBoard(slow, 4*time.Millisecond)
			if _, err := b.Rate(context.Background(), currency); err == nil {
				t.Fatal("it came in time")
			}
			time.Sleep(12 * time.Millisecond)
		})
	}
}
