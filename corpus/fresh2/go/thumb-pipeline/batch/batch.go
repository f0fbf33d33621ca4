// Package batch runs functions at once and keeps the first fault.
package batch

import "sync"

// Group is a set of functions that run at once.
type Group struct {
	running sync.WaitGroup
	fault   chan error
}

// New returns a group without functions.
func New() *Group {
	return &Group{fault: make(chan error, 1)}
}

// Go starts a function.
func (g *Group) Go(f func() error) {
	g.running.Add(1)
	go func() {
		defer g.running.Done()
		if err := f(); err != nil {
			select {
			case g.fault <- err:
			default:
			}
		}
	}()
}

// Join waits for all functions and returns the first fault.
func (g *Group) Join() error {
	g.running.Wait()
	select {
	case err := <-g.fault:
		return err
	default:
		return nil
	}
}
