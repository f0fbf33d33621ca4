package fetch

import "sync"

// group runs functions at once and keeps the first error.
type group struct {
	wg    sync.WaitGroup
	once  sync.Once
	first error
}

func (g *group) run(f func() error) {
	g.wg.Add(1)
	go func() {
		defer g.wg.Done()
		if err := f(); err != nil {
			g.once.Do(func() { g.first = err })
		}
	}()
}

func (g *group) join() error {
	g.wg.Wait()
	return g.first
}
