package main

import (
	"fmt"
	"time"
)

type lockServer struct {
	delay time.Duration
	next  int64
}

func (s *lockServer) acquire(name string) int64 {
	time.Sleep(s.delay)
	s.next++
	return s.next
}

type client struct {
	server *lockServer
	wait   time.Duration
	held   []int64
}

// tryLock returns a token, or zero if the lock is not free in time.
func (c *client) tryLock(name string) (token int64) {
	granted := make(chan struct{})
	go func() {
		token = c.server.acquire(name) //race:token
		close(granted)
	}()
	select {
	case <-granted:
	case <-time.After(c.wait):
	}
	return token //race:token
}

func (c *client) withLock(name string, f func()) bool {
	token := c.tryLock(name)
	if token == 0 {
		return false
	}
	c.held = append(c.held, token)
	f()
	return true
}

func main() {
	c := &client{server: &lockServer{delay: 3 * time.Millisecond}, wait: time.Millisecond}
	ran := c.withLock("nightly-report", func() {})
	time.Sleep(5 * time.Millisecond)
	fmt.Println("ran", ran, len(c.held))
}
