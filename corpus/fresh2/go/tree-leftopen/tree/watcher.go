package tree

import "time"

// Watcher calls back when a tree has changed.
type Watcher struct {
	tree *Tree
	quit chan struct{}
}

// Watch starts a watcher.
func Watch(t *Tree, every time.Duration, changed func(author string)) *Watcher {
	w := &Watcher{tree: t, quit: make(chan struct{})}
	go w.loop(every, changed)
	return w
}

func (w *Watcher) loop(every time.Duration, changed func(author string)) {
	seen := -1
	for {
		select {
		case <-w.quit:
			return
		case <-time.After(every):
		}
		if revision := w.tree.revision; revision != seen { //race:Tree.revision
			seen = revision
			author := w.tree.author //race:Tree.author
			changed(author)
		}
	}
}

// Close ends the watcher.
func (w *Watcher) Close() {
	close(w.quit)
}
