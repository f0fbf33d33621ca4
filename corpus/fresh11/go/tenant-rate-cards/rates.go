// Package rates has the prices of plans.
package rates

import "sync"

// Cards is the rate cards of a tenant.
type Cards struct {
	mu     sync.Mutex
	byPlan map[string]int
}

// NewCards makes cards.
func NewCards() *Cards { return &Cards{byPlan: map[string]int{"free": 0}} }

// Set changes what a plan costs.
func (c *Cards) Set(plan string, cents int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.byPlan[plan] = cents //race:Cards.byPlan
}

// Total is what a number of seats per plan costs.
func (c *Cards) Total(seats map[string]int) int {
	sum := 0
	for plan, cents := range c.byPlan { //race:Cards.byPlan
		sum += cents * seats[plan]
	}
	return sum
}
