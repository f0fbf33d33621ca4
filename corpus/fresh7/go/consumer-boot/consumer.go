package main

import (
	"fmt"
	"time"
)

type config struct {
	group    string
	interval time.Duration
}

type coordinator interface {
	Heartbeat(group, member string) bool
	Join(group string) string
}

// Consumer is a member of a group.
type Consumer struct {
	cfg    config
	coord  coordinator
	member string
	done   chan struct{}
	beats  chan bool
}

// NewConsumer joins a group.
func NewConsumer(cfg config, coord coordinator) *Consumer {
	c := &Consumer{cfg: cfg, coord: coord, done: make(chan struct{}), beats: make(chan bool, 64)}
	go c.heartbeats()
	c.member = coord.Join(cfg.group) //race:Consumer.member
	return c
}

func (c *Consumer) heartbeats() {
	for {
		select {
		case <-c.done:
			return
		case <-time.After(c.cfg.interval):
			c.beat()
		}
	}
}

func (c *Consumer) beat() {
	ok := c.coord.Heartbeat(c.cfg.group, c.member) //race:Consumer.member
	select {
	case c.beats <- ok:
	default:
	}
}

func (c *Consumer) Close() { close(c.done) }

type localCoordinator struct{ delay time.Duration }

func (l localCoordinator) Heartbeat(group, member string) bool { return member != "" }

func (l localCoordinator) Join(group string) string {
	time.Sleep(l.delay)
	return group + "-1"
}

func main() {
	c := NewConsumer(config{group: "billing", interval: time.Millisecond}, localCoordinator{500 * time.Microsecond})
	time.Sleep(4 * time.Millisecond)
	c.Close()
	fmt.Println("beats:", len(c.beats) > 0)
}
