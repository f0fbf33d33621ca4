// Package proxy copies bytes from one side to the other.
package proxy

import (
	"io"
	"time"

	"github.com/deadheat-corpus/proxystats/stats"
)

// Proxy copies and counts.
type Proxy struct {
	Stats stats.Stats
	chunk int
}

// New returns a proxy that copies so many bytes at once.
func New(chunk int) *Proxy {
	return &Proxy{chunk: chunk}
}

// Copy moves everything from one side to the other.
func (p *Proxy) Copy(dst io.Writer, src io.Reader) error {
	defer p.Stats.Open()()
	buf := make([]byte, p.chunk)
	for {
		n, err := src.Read(buf)
		p.Stats.AddIn(n)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		m, err := dst.Write(buf[:n])
		p.Stats.AddOut(m)
		if err != nil {
			return err
		}
		time.Sleep(time.Millisecond) // shaping
	}
}
