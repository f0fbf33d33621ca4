// Package rotate writes log files of a limited size.
package rotate

import (
	"bytes"
	"fmt"
	"io"
	"sync"
)

// Opener makes the file with a number.
type Opener func(number int) (io.WriteCloser, error)

// Writer is an io.Writer that starts a new file when one is full.
type Writer struct {
	open  Opener
	limit int

	mu     sync.Mutex
	number int
	size   int
	file   io.WriteCloser
}

// New returns a writer without a file.
func New(limit int, open Opener) *Writer {
	return &Writer{open: open, limit: limit}
}

// Write writes one entry, which is never split.
func (w *Writer) Write(p []byte) (int, error) {
	if w.needsFile(len(p)) {
		if err := w.rotate(); err != nil {
			return 0, fmt.Errorf("rotate: %w", err)
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	n, err := w.file.Write(p)
	w.size += n //race:Writer.size
	return n, err
}

func (w *Writer) needsFile(more int) bool {
	if w.file == nil { //race:Writer.file
		return true
	}
	return w.size+more > w.limit //race:Writer.size
}

func (w *Writer) rotate() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	next, err := w.open(w.number + 1)
	if err != nil {
		return err
	}
	if w.file != nil {
		_ = w.file.Close()
	}
	w.number++
	w.file = next //race:Writer.file
	w.size = 0    //race:Writer.size
	return nil
}

// Memory is a file for those who have no disk.
type Memory struct {
	bytes.Buffer
}

// Close does nothing.
func (*Memory) Close() error { return nil }
