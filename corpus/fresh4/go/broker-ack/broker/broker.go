// Package broker passes messages on.
package broker

import "time"

// Broker passes messages on and says which were taken.
type Broker struct {
	acks chan int
	errs chan error
	take func(id int) error
}

// New returns a broker that gives messages to take.
func New(take func(id int) error) *Broker {
	return &Broker{acks: make(chan int, 32), errs: make(chan error, 32), take: take}
}

// Publish passes a message on.
func (b *Broker) Publish(id int) {
	go func() {
		if err := b.take(id); err != nil {
			b.errs <- err //race:Broker.errs
		} else {
			b.acks <- id //race:Broker.acks
		}
		time.Sleep(30 * time.Millisecond)
	}()
}

// Shutdown ends the broker.
func (b *Broker) Shutdown() {
	close(b.acks) //race:Broker.acks
	close(b.errs) //race:Broker.errs
}
