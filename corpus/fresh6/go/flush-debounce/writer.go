package main

import (
	"strings"
	"sync"
	"time"
)

type volume struct {
	delay time.Duration
	mu    sync.Mutex
	saves []string
}

func (v *volume) begin() { time.Sleep(v.delay) }

func (v *volume) write(s string) {
	v.mu.Lock()
	v.saves = append(v.saves, s)
	v.mu.Unlock()
}

func (v *volume) count() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return len(v.saves)
}

// writer gathers edits and saves them when no more come.
type writer struct {
	vol   *volume
	quiet time.Duration
	timer *time.Timer
	dirty []string
}

func newWriter(v *volume, quiet time.Duration) *writer {
	return &writer{vol: v, quiet: quiet}
}

func (w *writer) Edit(line string) {
	if w.timer != nil {
		w.timer.Stop()
	}
	w.dirty = append(w.dirty, line)
	w.timer = time.AfterFunc(w.quiet, w.save)
}

func (w *writer) save() {
	w.vol.begin()
	text := strings.Join(w.dirty, "\n") //race:writer.dirty
	w.vol.write(text)
}

// Discard drops what is not saved yet.
func (w *writer) Discard() {
	if w.timer != nil {
		w.timer.Stop()
		w.timer = nil
	}
	w.dirty = nil //race:writer.dirty
}
