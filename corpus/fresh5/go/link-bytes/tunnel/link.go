package tunnel

import (
	"io"
	"sync/atomic"
)

// Link is one direction of a tunnel.
type Link struct {
	dst   io.Writer
	bytes int64
}

// NewLink makes a link that writes to dst.
func NewLink(dst io.Writer) *Link {
	return &Link{dst: dst}
}

// Write forwards data and counts it.
func (l *Link) Write(p []byte) (int, error) {
	n, err := l.dst.Write(p)
	l.account(n)
	return n, err
}

func (l *Link) account(n int) {
	atomic.AddInt64(&l.bytes, int64(n)) //race:Link.bytes
}

// Bill is the price of what has passed, in cents.
func (l *Link) Bill(centsPerKB int64) int64 {
	used := l.bytes //race:Link.bytes
	return used / 1024 * centsPerKB
}
