// Package quorum asks replicas.
package quorum

import (
	"sync"
	"time"
)

// Replica answers reads.
type Replica struct {
	Version int
	Delay   time.Duration
}

func (r Replica) read() int {
	time.Sleep(r.Delay)
	return r.Version
}

// Group runs functions at once.
type Group struct {
	wg sync.WaitGroup
}

// Go starts a function.
func (g *Group) Go(f func()) {
	g.wg.Add(1)
	go g.run(f)
}

func (g *Group) run(f func()) {
	defer g.wg.Done()
	f()
}

// Wait waits for all.
func (g *Group) Wait() {
	g.wg.Wait()
}

// Read asks every replica and returns the newest version and the number of answers.
func Read(replicas ...Replica) (newest, answers int) {
	var g Group
	for _, replica := range replicas {
		replica := replica
		g.Go(func() {
			v := replica.read()
			if v > newest { //race:newest
				newest = v //race:newest
			}
			answers++ //race:answers
		})
	}
	g.Wait()
	return newest, answers
}
