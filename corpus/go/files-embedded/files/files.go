// Package files reads and writes files.
package files

// Reader reads a file.
type Reader struct {
	handle
	at int
}

// Writer writes a file.
type Writer struct {
	handle
	written int
}

// Copier copies from one to the other.
type Copier struct {
	from *Reader
	to   *Writer
}

// NewCopier returns a copier of two paths.
func NewCopier(from, to string) *Copier {
	return &Copier{&Reader{handle: handle{path: from}}, &Writer{handle: handle{path: to}}}
}

// Copy copies until one end is closed.
func (c *Copier) Copy(n int) int {
	return c.step(n)
}

func (c *Copier) step(n int) int {
	if !c.from.open() { //race:Reader.closed
		return 0
	}
	if !c.to.open() { //race:Writer.closed
		return 0
	}
	return n
}

// Abort closes both ends.
func (c *Copier) Abort() {
	c.shut()
}

func (c *Copier) shut() {
	_ = c.from.Close() //race:Reader.closed
	_ = c.to.Close()   //race:Writer.closed
}
