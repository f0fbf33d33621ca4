package main

import (
	"fmt"
	"io"
	"time"
)

// meter is put between a copy and its destination.
type meter struct {
	w     io.Writer
	total int64
	seen  int64
}

func (m *meter) Write(p []byte) (int, error) {
	n, err := m.w.Write(p)
	m.seen += int64(n) //race:meter.seen
	return n, err
}

func (m *meter) percent() int {
	if m.total == 0 {
		return 0
	}
	return int(100 * m.seen / m.total) //race:meter.seen
}

// show prints until stop is closed.
func (m *meter) show(every time.Duration, stop <-chan struct{}) {
	t := time.NewTicker(every)
	defer t.Stop()
	last := -1
	for {
		select {
		case <-stop:
			return
		case <-t.C:
			if p := m.percent(); p != last {
				last = p
				fmt.Printf("\r%3d%%", p)
			}
		}
	}
}
