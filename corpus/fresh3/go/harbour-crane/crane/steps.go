package crane

import "time"

func (c *Crane) work() {
	for {
		c.step()
		select {
		case <-c.quit:
			return
		case <-time.After(c.beat):
		}
	}
}

func (c *Crane) step() {
	next := c.next()
	hoist := c.hoist //race:Crane.hoist
	if next == "" || hoist == nil {
		return
	}
	c.moved <- hoist.lift(next)
}

func (c *Crane) next() string {
	plan := c.plan //race:Crane.plan
	if plan == nil {
		return ""
	}
	return plan.first()
}

// Moved is how many moves there were.
func (c *Crane) Moved() int {
	return len(c.moved)
}

// Shutdown ends the work.
func (c *Crane) Shutdown() {
	defer close(c.quit)
	c.hoist = nil //race:Crane.hoist
	c.plan = nil  //race:Crane.plan
}
