package main

import (
	"fmt"
	"io"
	"sync"
	"time"
)

type restore struct {
	console io.Writer
	workers int
	files   int
}

func newRestore(console io.Writer, workers int) *restore {
	return &restore{console: console, workers: workers}
}

func (r *restore) extract(path string) {
	time.Sleep(300 * time.Microsecond)
	r.files++ //race:restore.files
}

func (r *restore) display(total int, stop <-chan struct{}) {
	t := time.NewTicker(time.Millisecond)
	defer t.Stop()
	for {
		select {
		case <-stop:
			return
		case <-t.C:
			fmt.Fprintf(r.console, "\r%d/%d", r.files, total) //race:restore.files
		}
	}
}

// Run extracts all paths.
func (r *restore) Run(paths []string) {
	work := make(chan string)
	stop := make(chan struct{})
	go r.display(len(paths), stop)

	var wg sync.WaitGroup
	for i := 0; i < r.workers; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for p := range work {
				r.extract(p)
			}
		}()
	}
	for _, p := range paths {
		work <- p
	}
	close(work)
	wg.Wait()
	close(stop)
}
