// Package ingest takes lines and writes them in blocks.
package ingest

import (
	"sync"
	"time"
)

// Block is a group of lines.
type Block []string

// Sink writes blocks.
type Sink interface {
	WriteBlock(b Block) error
}

// Ingester has one worker.
type Ingester struct {
	sink    Sink
	lines   chan string
	wg      sync.WaitGroup
	size    int
	flushed int
}

// New starts an ingester.
func New(sink Sink, size int) *Ingester {
	in := &Ingester{sink: sink, lines: make(chan string, 64), size: size}
	in.wg.Add(1)
	go in.work()
	return in
}

// Put takes a line.
func (in *Ingester) Put(line string) {
	in.lines <- line
}

func (in *Ingester) work() {
	var rest Block
	defer func() { in.finish(rest) }()
	defer in.wg.Done()
	for line := range in.lines {
		rest = append(rest, line)
		if len(rest) == in.size {
			_ = in.sink.WriteBlock(rest)
			rest = nil
		}
	}
}

func (in *Ingester) finish(rest Block) {
	if len(rest) > 0 {
		time.Sleep(3 * time.Millisecond)
		_ = in.sink.WriteBlock(rest)
	}
	in.flushed += len(rest) //race:Ingester.flushed
}

// Close takes no more lines, waits, and returns how many were flushed at the end.
func (in *Ingester) Close() int {
	close(in.lines)
	in.wg.Wait()
	return in.flushed //race:Ingester.flushed
}
