package watch

import (
	"os"
	"time"
)

// Watcher polls a file and calls back when it has changed.
type Watcher struct {
	path     string
	interval time.Duration
	onChange func(size int64)
	stop     chan struct{}
	stopped  chan struct{}
}

// Start begins to watch.
func Start(path string, interval time.Duration, onChange func(size int64)) *Watcher {
	w := &Watcher{path, interval, onChange, make(chan struct{}), make(chan struct{})}
	go w.poll()
	return w
}

func (w *Watcher) poll() {
	defer close(w.stopped)
	var last int64 = -1
	for {
		select {
		case <-w.stop:
			return
		case <-time.After(w.interval):
		}
		info, err := os.Stat(w.path)
		if err != nil {
			continue
		}
		if last >= 0 && info.Size() != last {
			w.onChange(info.Size())
		}
		last = info.Size()
	}
}

// Stop ends the polling.
func (w *Watcher) Stop() {
	close(w.stop)
	<-w.stopped
}
