package main

import (
	"errors"
	"fmt"
	"time"
)

var errSlow = errors.New("server did not come up")

type server struct {
	addr  string
	boot  time.Duration
	stop  chan struct{}
	ended chan struct{}
}

func newServer(addr string, boot time.Duration) *server {
	return &server{addr: addr, boot: boot, stop: make(chan struct{}), ended: make(chan struct{})}
}

func (s *server) listen(ready func()) {
	defer close(s.ended)
	time.Sleep(s.boot)
	ready()
	<-s.stop
}

// start returns once the server takes connections.
func start(s *server, patience int) error {
	up := false
	go s.listen(func() {
		up = true //race:up
	})
	for i := 0; i < patience; i++ {
		time.Sleep(300 * time.Microsecond)
		if up { //race:up
			return nil
		}
	}
	return errSlow
}

func (s *server) shutdown() {
	close(s.stop)
	<-s.ended
}

func main() {
	s := newServer("127.0.0.1:8080", time.Millisecond)
	err := start(s, 20)
	s.shutdown()
	fmt.Println(s.addr, "started:", err == nil || errors.Is(err, errSlow))
}
