// Package watch turns many changes of files into few rebuilds.
package watch

import "time"

// Watcher waits until a burst of changes is over.
type Watcher struct {
	quiet  time.Duration
	timer  *time.Timer
	dirty  map[string]Op
	builds chan []string
	render func(paths []string)
}

// New returns a watcher that calls render after each burst.
func New(quiet time.Duration, render func(paths []string)) *Watcher {
	w := &Watcher{quiet: quiet, builds: make(chan []string, 1), render: render}
	w.dirty = make(map[string]Op)
	return w
}

// Notify takes one burst of changes.
func (w *Watcher) Notify(events ...Event) {
	for _, e := range events {
		if !ignored(e.Path) {
			w.dirty[e.Path] |= e.Op
		}
	}
	if w.timer == nil {
		w.timer = time.AfterFunc(w.quiet, w.flush)
	}
}

func (w *Watcher) flush() {
	changed := w.dirty //race:Watcher.dirty
	paths := make([]string, 0, len(changed))
	for path := range changed {
		paths = append(paths, path)
	}
	time.Sleep(10 * time.Millisecond)
	w.render(paths)
}

// Stop gives up on what has not been built; after it nothing is rendered any more.
func (w *Watcher) Stop() {
	if w.timer != nil {
		w.timer.Stop()
	}
	w.dirty = nil //race:Watcher.dirty
}
