package profile

import "sync"

// group runs functions and keeps the first error.
type group struct {
	wg    sync.WaitGroup
	once  sync.Once
	first error
}

func (g *group) Go(fn func() error) {
	g.wg.Add(1)
	go func() {
		defer g.wg.Done()
		if failed := fn(); failed != nil {
			g.once.Do(func() { g.first = failed })
		}
	}()
}

func (g *group) Wait() error {
	g.wg.Wait()
	return g.first
}
