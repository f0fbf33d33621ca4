// Package waves sends messages in waves.
package waves

import (
	"sync"
	"time"
)

// Waves lets others wait for the end of a wave.
type Waves struct {
	pending sync.WaitGroup
	cost    time.Duration
}

// Send begins a wave of n messages.
func (w *Waves) Send(n int) {
	w.pending.Add(n) //race:Waves.pending
	for i := 0; i < n; i++ {
		go func() {
			time.Sleep(w.cost)
			w.pending.Done()
		}()
	}
}

// Settle waits for the wave that is on its way.
func (w *Waves) Settle() {
	w.pending.Wait() //race:Waves.pending
}
