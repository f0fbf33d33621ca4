// Package expensive finds statements that run for too long.
package expensive

import (
	"log"
	"time"

	"github.com/deadheat-corpus/sessionkill/session"
)

// Watcher looks at all sessions now and then.
type Watcher struct {
	sessions func() []*session.Session
	limit    time.Duration
	logger   *log.Logger
	exit     chan struct{}
	done     chan struct{}
}

// NewWatcher returns a watcher that has not been started.
func NewWatcher(limit time.Duration, logger *log.Logger, list func() []*session.Session) *Watcher {
	return &Watcher{
		sessions: list,
		limit:    limit,
		logger:   logger,
		exit:     make(chan struct{}),
		done:     make(chan struct{}),
	}
}

// Run looks until it is told to stop.
func (w *Watcher) Run(every time.Duration) {
	defer close(w.done)
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-w.exit:
			return
		case now := <-ticker.C:
			w.sweep(now)
		}
	}
}

func (w *Watcher) sweep(now time.Time) {
	for _, s := range w.sessions() {
		cost := s.Running(now)
		if cost < w.limit {
			continue
		}
		w.logger.Printf("killing %d after %s: %s", s.ID, cost, s.Digest())
		s.Kill()
	}
}

// Stop ends the watcher and waits for it.
func (w *Watcher) Stop() {
	close(w.exit)
	<-w.done
}
