// Package outbound queues messages for a peer.
package outbound

import (
	"errors"
	"sync"
)

// ErrClosed is returned once a queue is closed.
var ErrClosed = errors.New("queue is closed")

// ErrFull is returned when the peer does not keep up.
var ErrFull = errors.New("queue is full")

// Queue is read by the goroutine that writes to the peer.
type Queue struct {
	mu     sync.Mutex
	closed bool
	items  chan []byte
}

// NewQueue makes a queue of some length.
func NewQueue(n int) *Queue {
	return &Queue{items: make(chan []byte, n)}
}

// Open tells whether it is worth to make a message.
func (q *Queue) Open() bool {
	return !q.closed //race:Queue.closed
}

// Send adds a message.
func (q *Queue) Send(msg []byte) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return ErrClosed
	}
	select {
	case q.items <- msg:
		return nil
	default:
		return ErrFull
	}
}

// Items is where messages come out.
func (q *Queue) Items() <-chan []byte { return q.items }

// Close ends the queue; it may be called twice.
func (q *Queue) Close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return
	}
	q.closed = true //race:Queue.closed
	close(q.items)
}
