package main

import (
	"fmt"
	"io"
	"os"
	"time"
)

var frames = []string{"|", "/", "-", "\\"}

// spinner shows that a command is still at work.
type spinner struct {
	out     io.Writer
	message string
	quit    chan struct{}
	gone    chan struct{}
	every   time.Duration
}

func newSpinner(out io.Writer, message string) *spinner {
	return &spinner{
		out: out, message: message, every: 200 * time.Microsecond,
		quit: make(chan struct{}), gone: make(chan struct{}),
	}
}

func (s *spinner) start() { go s.draw() }

func (s *spinner) draw() {
	defer close(s.gone)
	tick := time.NewTicker(s.every)
	defer tick.Stop()
	for i := 0; ; i++ {
		select {
		case <-tick.C:
			io.WriteString(s.out, s.line(i))
		case <-s.quit:
			return
		}
	}
}

func (s *spinner) line(i int) string {
	return "\r" + frames[i%len(frames)] + " " + s.message //race:spinner.message
}

func (s *spinner) update(message string) {
	s.message = message //race:spinner.message
}

func (s *spinner) done() {
	close(s.quit)
	<-s.gone
}

func install(packages []string) {
	sp := newSpinner(io.Discard, "resolving")
	sp.start()
	for _, name := range packages {
		time.Sleep(500 * time.Microsecond)
		sp.update("installing " + name)
	}
	sp.done()
}

func main() {
	install([]string{"curl", "jq", "ripgrep", "fd", "tmux"})
	fmt.Fprintln(os.Stdout, "installed")
}
