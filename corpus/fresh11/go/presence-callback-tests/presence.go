// Package presence tells who is there.
package presence

import "time"

// Tracker calls a hook when somebody's state changes.
type Tracker struct {
	events chan event
	done   chan struct{}
}

type event struct {
	user string
	up   bool
}

// Track starts a tracker.
func Track(hook func(user string, up bool)) *Tracker {
	t := &Tracker{events: make(chan event, 8), done: make(chan struct{})}
	go func() {
		defer close(t.done)
		seen := map[string]bool{}
		for e := range t.events {
			if seen[e.user] != e.up {
				seen[e.user] = e.up
				hook(e.user, e.up)
			}
		}
	}()
	return t
}

// Ping notes a sign of life.
func (t *Tracker) Ping(user string) { t.events <- event{user, true} }

// Close stops the tracker, after a while for late events.
func (t *Tracker) Close() {
	time.Sleep(time.Millisecond)
	close(t.events)
	<-t.done
}
