package accesslog

import (
	"fmt"
	"io"
	"sync"
)

type entry struct {
	path   string
	status int
}

var entries = sync.Pool{New: func() any { return new(entry) }}

// Log formats entries on a goroutine of its own.
type Log struct {
	out   io.Writer
	queue chan *entry
	done  chan struct{}
}

// New starts a log.
func New(out io.Writer) *Log {
	l := &Log{out: out, queue: make(chan *entry, 64), done: make(chan struct{})}
	go l.drain()
	return l
}

// Request logs one request; next serves it.
func (l *Log) Request(path string, next func() int) {
	e := entries.Get().(*entry)
	defer entries.Put(e)
	e.path = path     //race:entry.path
	e.status = next() //race:entry.status
	l.queue <- e
}

func (l *Log) drain() {
	defer close(l.done)
	for e := range l.queue {
		fmt.Fprintf(l.out, "%s %d\n", e.path, e.status) //race:entry.path,entry.status
	}
}

// Close waits for what is queued.
func (l *Log) Close() {
	close(l.queue)
	<-l.done
}
