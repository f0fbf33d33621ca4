// Package outbox sends letters when there is a line.
package outbox

import "time"

// Outbox sends letters in the background.
type Outbox struct {
	conn    conn
	dial    func() conn
	letters chan string
}

// Open returns an outbox that sends.
func Open() *Outbox {
	o := &Outbox{letters: make(chan string, 16), dial: func() conn { return new(line) }}
	o.conn = o.dial()
	go o.sender()
	return o
}

// Post puts a letter into the box.
func (o *Outbox) Post(letter string) { o.letters <- letter }

func (o *Outbox) sender() {
	for letter := range o.letters {
		time.Sleep(3 * time.Millisecond)
		c := o.conn //race:Outbox.conn
		if c == nil {
			dial := o.dial //race:Outbox.dial
			if dial == nil {
				time.Sleep(30 * time.Millisecond)
				return
			}
			c = dial()
		}
		c.send(letter)
	}
}

// Close drops the line.
func (o *Outbox) Close() {
	o.dial = nil //race:Outbox.dial
	o.conn = nil //race:Outbox.conn
}
