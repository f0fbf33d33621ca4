// Package tail follows what is written to a spool.
package tail

import (
	"io"
	"time"
)

// Spool has lines in the order of their writing.
type Spool struct {
	lines []string
	grown chan struct{}
}

// NewSpool makes an empty spool for one writer and, once it is done, its tailers.
func NewSpool(lines ...string) *Spool {
	return &Spool{lines: lines, grown: make(chan struct{}, 1)}
}

// Truncate begins the spool anew. All tailers must be closed.
func (s *Spool) Truncate(lines ...string) {
	s.lines = lines //race:Spool.lines
}

// Tailer sends lines to a writer.
type Tailer struct {
	spool *Spool
	to    io.Writer
	quit  chan struct{}
	gone  chan struct{}
}

// Open begins to follow.
func (s *Spool) Open(to io.Writer) *Tailer {
	t := &Tailer{spool: s, to: to, quit: make(chan struct{}), gone: make(chan struct{})}
	go t.follow()
	return t
}

func (t *Tailer) follow() {
	defer close(t.gone)
	at := 0
	for {
		for ; at < len(t.spool.lines); at++ { //race:Spool.lines
			_, _ = io.WriteString(t.to, t.spool.lines[at]) //race:Spool.lines
		}
		select {
		case <-t.quit:
			return
		case <-time.After(200 * time.Microsecond):
		}
	}
}

// Close ends it and waits for its end.
func (t *Tailer) Close() error {
	close(t.quit)
	<-t.gone
	return nil
}
