// Package epoch counts operations by window of time.
package epoch

import "sync/atomic"

// Window is what happened in some time.
type Window struct {
	ops   atomic.Uint64
	epoch int
}

// Recorder counts in a window.
type Recorder struct {
	name string
	win  Window
}

// Hit counts an operation.
func (r *Recorder) Hit() uint64 {
	return r.win.ops.Add(1) //race:Window.ops
}

// Turn begins another window.
func (r *Recorder) Turn(epoch int) {
	r.win = Window{epoch: epoch} //race:Window.ops
}
