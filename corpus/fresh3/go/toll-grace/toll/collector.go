package toll

import "time"

// Collector sends bills to drivers who are late.
type Collector struct {
	passes []Pass
	bills  chan int
	rounds int
}

// Collect starts a collector for some rounds.
func Collect(rounds int, passes ...Pass) *Collector {
	c := &Collector{passes: passes, bills: make(chan int, 100), rounds: rounds}
	go c.loop()
	return c
}

func (c *Collector) loop() {
	for i := 0; i < c.rounds; i++ {
		c.sweep(time.Now())
		time.Sleep(4 * time.Millisecond)
	}
	close(c.bills)
}

func (c *Collector) sweep(now time.Time) {
	for _, p := range c.passes {
		if p.late(now) {
			c.bills <- p.fine(now)
		}
	}
}

// Total waits for all bills.
func (c *Collector) Total() int {
	sum := 0
	for bill := range c.bills {
		sum += bill
	}
	return sum
}
