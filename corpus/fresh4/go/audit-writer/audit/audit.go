// Package audit writes down who did what.
package audit

import (
	"bufio"
	"bytes"
	"time"
)

// Audit writes events to memory.
type Audit struct {
	mem bytes.Buffer
	out *bufio.Writer
}

// New returns an audit with a small buffer.
func New() *Audit {
	a := new(Audit)
	a.mem.Grow(1 << 12)
	a.out = bufio.NewWriterSize(&a.mem, 1<<10)
	return a
}

// Login writes down a login.
func (a *Audit) Login(user string) {
	a.out.WriteString("in " + user) //race:Audit.out
}

// Logout writes down a logout.
func (a *Audit) Logout(user string) {
	a.out.WriteString("out " + user) //race:Audit.out
}

// Direct writes an event that must not be lost.
func (a *Audit) Direct(text string) {
	a.mem.WriteString(text) //race:Audit.mem
}

// Size says how much is written.
func (a *Audit) Size() int {
	return a.mem.Len() //race:Audit.mem
}

func later(d time.Duration, f func()) {
	go func() {
		time.Sleep(d)
		f()
		time.Sleep(40 * time.Millisecond)
	}()
}
