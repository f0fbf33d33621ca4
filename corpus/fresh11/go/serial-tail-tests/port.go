// Package serial reads lines from a serial port.
package serial

import (
	"bufio"
	"io"
)

// Port calls a function for every line.
type Port struct {
	rw   io.ReadCloser
	done chan struct{}
}

// Open reads in the background until Close.
func Open(rw io.ReadCloser, onLine func(string)) *Port {
	p := &Port{rw: rw, done: make(chan struct{})}
	go func() {
		defer close(p.done)
		lines := bufio.NewScanner(p.rw)
		for lines.Scan() {
			onLine(lines.Text())
		}
	}()
	return p
}

// Close closes the device and waits for the reader.
func (p *Port) Close() error {
	err := p.rw.Close()
	<-p.done
	return err
}
