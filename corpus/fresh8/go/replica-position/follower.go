package main

import (
	"fmt"
	"time"
)

type event struct {
	pos   uint64
	stamp int64
	rows  int
}

// follower replays the binlog of a primary.
type follower struct {
	source   string
	position uint64
	lastSeen int64
	stop     chan struct{}
	ended    chan struct{}
}

func newFollower(source string) *follower {
	return &follower{source: source, stop: make(chan struct{}), ended: make(chan struct{})}
}

func (f *follower) replay(events <-chan event) {
	defer close(f.ended)
	for {
		select {
		case e := <-events:
			f.apply(e)
		case <-f.stop:
			return
		}
	}
}

func (f *follower) apply(e event) {
	f.position = e.pos   //race:follower.position
	f.lastSeen = e.stamp //race:follower.lastSeen
}

// lag says how far the follower is behind, in bytes and seconds.
func (f *follower) lag(head uint64, now int64) (uint64, int64) {
	behind := head - f.position //race:follower.position
	late := now - f.lastSeen    //race:follower.lastSeen
	return behind, late
}

func main() {
	f := newFollower("primary:3306")
	events := make(chan event, 16)
	go f.replay(events)
	for i := 1; i <= 10; i++ {
		events <- event{uint64(i * 100), int64(i), 1}
	}
	time.Sleep(2 * time.Millisecond)
	bytes, seconds := f.lag(2000, 20)
	close(f.stop)
	<-f.ended
	fmt.Println("lag", bytes > 0, seconds > 0)
}
