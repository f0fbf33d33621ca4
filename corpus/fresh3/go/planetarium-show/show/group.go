package show

import "sync"

// group waits for functions that it runs side by side.
type group struct {
	open sync.WaitGroup
}

func (g *group) run(f func()) {
	g.open.Add(1)
	go func() {
		defer g.open.Done()
		f()
	}()
}

func (g *group) wait() {
	g.open.Wait()
}
