package rates

import "testing"

func TestTotalWhilePricesChange(t *testing.T) {
	c := NewCards()
	changed := make(chan struct{})
	go func() {
		defer close(changed)
		for i, plan := range []string{"team", "pro", "enterprise"} {
			c.Set(plan, 900*(i+1))
		}
	}()
	if sum := c.Total(map[string]int{"free": 4}); sum != 0 {
		t.Errorf("free costs %d", sum)
	}
	<-changed
	if sum := c.Total(map[string]int{"team": 2, "pro": 1}); sum != 3600 {
		t.Errorf("sum %d", sum)
	}
}
