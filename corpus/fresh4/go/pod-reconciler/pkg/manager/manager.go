// Package manager runs controllers.
package manager

import (
	"context"
	"sync"
)

// Runnable runs until its context ends.
type Runnable interface {
	Start(ctx context.Context) error
}

// Manager runs runnables.
type Manager struct {
	running sync.WaitGroup
}

// Add starts a runnable at once.
func (m *Manager) Add(ctx context.Context, r Runnable) {
	m.running.Add(1)
	go func() {
		defer m.running.Done()
		_ = r.Start(ctx)
	}()
}

// Wait waits for the end of all of them.
func (m *Manager) Wait() { m.running.Wait() }
