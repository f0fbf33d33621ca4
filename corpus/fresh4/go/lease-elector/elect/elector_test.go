package elect

import (
	"testing"
	"time"
)

func TestRenewAndWatch(t *testing.T) {
	e := NewElector(Callbacks{OnStarted: func() { time.Sleep(6 * time.Millisecond) }})
	changes := make(chan string, 2)
	go e.Watch(changes, "a")
	timer := e.Renew(3 * time.Millisecond)
	defer timer.Stop()
	time.Sleep(5 * time.Millisecond)
	changes <- "a"
	time.Sleep(25 * time.Millisecond)
	close(changes)
}
