package main

import (
	"errors"
	"log"
	"time"
)

var errNotHeld = errors.New("lease not held")

type conn struct {
	addr string
	gen  int
}

func (c *conn) keepAlive(lease int64) error {
	if c == nil {
		return errNotHeld
	}
	time.Sleep(time.Millisecond)
	return nil
}

func (c *conn) revoke(lease int64) error {
	time.Sleep(time.Millisecond)
	return nil
}

// Keeper holds a lease of the lock service for as long as it is open.
type Keeper struct {
	conn  *conn
	lease int64
	ttl   time.Duration
	lost  chan struct{}
	quit  chan struct{}
}

func Hold(addr string, lease int64, ttl time.Duration) *Keeper {
	k := &Keeper{
		conn:  &conn{addr: addr},
		lease: lease,
		ttl:   ttl,
		lost:  make(chan struct{}),
		quit:  make(chan struct{}),
	}
	go k.renewLoop()
	return k
}

func (k *Keeper) renewLoop() {
	tick := time.NewTicker(k.ttl / 3)
	defer tick.Stop()
	for {
		select {
		case <-k.quit:
			return
		case <-tick.C:
			if err := k.conn.keepAlive(k.lease); err != nil { //race:Keeper.conn
				log.Printf("lease %d: %v", k.lease, err)
				close(k.lost)
				return
			}
		}
	}
}

// Close gives the lease back.
func (k *Keeper) Close() error {
	err := k.conn.revoke(k.lease)
	k.conn = nil //race:Keeper.conn
	close(k.quit)
	return err
}
