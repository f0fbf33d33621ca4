package uplink

import (
	"errors"
	"sync"
	"time"
)

// Conn is the part of a connection that the uplink needs.
type Conn interface {
	Send([]byte) error
	Close() error
}

// Dialer makes connections.
type Dialer func() (Conn, error)

var errDown = errors.New("uplink is down")

// Uplink keeps one connection to the hub.
type Uplink struct {
	dial Dialer
	mu   sync.Mutex
	conn Conn
	lost int
}

// Open dials for the first time.
func Open(dial Dialer) (*Uplink, error) {
	c, err := dial()
	if err != nil {
		return nil, err
	}
	return &Uplink{dial: dial, conn: c}, nil
}

// Publish sends one reading.
func (u *Uplink) Publish(p []byte) error {
	if u.conn == nil { //race:Uplink.conn
		return errDown
	}
	return u.conn.Send(p) //race:Uplink.conn
}

// Keep redials every so often, as the hub asks for.
func (u *Uplink) Keep(every time.Duration, rounds int) {
	for i := 0; i < rounds; i++ {
		time.Sleep(every)
		u.redial()
	}
}

func (u *Uplink) redial() {
	next, err := u.dial()
	u.mu.Lock()
	defer u.mu.Unlock()
	if err != nil {
		u.lost++
		return
	}
	old := u.conn
	u.conn = next //race:Uplink.conn
	_ = old.Close()
}
