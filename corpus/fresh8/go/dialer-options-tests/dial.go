package dial

import (
	"errors"
	"time"
)

// Options say how to connect.
type Options struct {
	Addr    string
	Timeout time.Duration
	Retries int
}

// ErrTimeout says that the peer was too slow.
var ErrTimeout = errors.New("timeout")

// Conn is a connection.
type Conn struct {
	Addr     string
	Attempts int
}

// Dial connects, with a delay that stands for the network.
func Dial(o *Options, delay time.Duration) (*Conn, error) {
	for i := 0; i <= o.Retries; i++ {
		if delay <= o.Timeout { //race:Options.Timeout
			return &Conn{o.Addr, i + 1}, nil
		}
		delay /= 2
	}
	return nil, ErrTimeout
}
