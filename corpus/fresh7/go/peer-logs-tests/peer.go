package peer

import (
	"fmt"
	"time"
)

// Logf writes a line of the log.
type Logf func(format string, args ...interface{})

// Peer is one end of a connection.
type Peer struct {
	name string
	logf Logf
	in   chan string
}

// Dial starts a peer.
func Dial(name string, logf Logf) *Peer {
	p := &Peer{name: name, logf: logf, in: make(chan string, 4)}
	go p.run()
	return p
}

func (p *Peer) run() {
	for m := range p.in {
		p.handle(m)
	}
}

func (p *Peer) handle(m string) {
	time.Sleep(2 * time.Millisecond)
	p.logf("%s: got %s", p.name, m) //race:common.log
}

// Send hands a message over.
func (p *Peer) Send(m string) error {
	if m == "" {
		return fmt.Errorf("%s: empty message", p.name)
	}
	p.in <- m
	return nil
}
