package main

import (
	"fmt"
	"sync"
	"time"
)

type grant struct {
	holder string
	term   int
}

// grantTable gives leases on resources to at most one holder each.
type grantTable struct {
	slots [4]grant
	audit func(string)
}

func (g *grantTable) tryGrant(slot int, who string) bool {
	if g.slots[slot].holder != "" { //race:grant.holder
		return false
	}
	g.audit("grant " + who)
	g.slots[slot].holder = who //race:grant.holder
	return true
}

func (g *grantTable) release(slot int) { g.slots[slot].holder = "" } //race:grant.holder

type contender struct {
	name  string
	table *grantTable
	held  time.Duration
}

func (c *contender) acquire(slot int) bool {
	for try := 0; try < 4; try++ {
		if c.table.tryGrant(slot, c.name) {
			time.Sleep(c.held)
			c.table.release(slot)
			return true
		}
		time.Sleep(500 * time.Microsecond)
	}
	return false
}

func main() {
	t := &grantTable{audit: func(string) { time.Sleep(300 * time.Microsecond) }}
	var wg sync.WaitGroup
	for _, name := range []string{"node-a", "node-b"} {
		c := &contender{name: name, table: t, held: time.Millisecond}
		wg.Add(1)
		go func() {
			defer wg.Done()
			c.acquire(2)
		}()
	}
	wg.Wait()
	fmt.Println("done")
}
