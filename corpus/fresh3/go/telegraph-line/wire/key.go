// Package wire sends telegrams.
package wire

import (
	"bufio"
	"io"
	"time"
)

// Key is what an operator presses.
type Key struct {
	out  *bufio.Writer
	beat time.Duration
	cut  chan struct{}
}

// Connect returns a key at the end of a line, which is kept alive.
func Connect(line io.Writer, beat time.Duration) *Key {
	k := &Key{out: bufio.NewWriterSize(line, 256), beat: beat, cut: make(chan struct{})}
	go k.keepAlive()
	return k
}

func (k *Key) keepAlive() {
	for {
		select {
		case <-k.cut:
			return
		case <-time.After(k.beat):
			k.pulse()
		}
	}
}

func (k *Key) pulse() {
	_ = k.out.WriteByte('~') //race:Key.out
}

// Send sends one word.
func (k *Key) Send(word string) error {
	_, err := k.out.WriteString(word + " ") //race:Key.out
	return err
}

// Cut ends the connection.
func (k *Key) Cut() {
	close(k.cut)
}
