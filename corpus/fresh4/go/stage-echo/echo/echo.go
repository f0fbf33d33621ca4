// Package echo repeats what it hears.
package echo

import "time"

// Wall throws sound back.
type Wall struct {
	heard chan string
	far   time.Duration
}

// Build returns a wall that throws back, to a listener, what it hears.
func Build(far time.Duration, listen func(format string, args ...any)) *Wall {
	w := &Wall{heard: make(chan string, 8), far: far}
	go w.reflect(listen)
	return w
}

func (w *Wall) reflect(listen func(format string, args ...any)) {
	for sound := range w.heard {
		time.Sleep(w.far)
		listen("echo of %s", sound) //race:t.done
	}
}

// Shout makes a sound.
func (w *Wall) Shout(sound string) {
	w.heard <- sound
}
