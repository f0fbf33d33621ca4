package main

import (
	"fmt"
	"time"
)

type lock struct {
	name   string
	holder string
}

// lease keeps a lock for a holder by renewing it.
type lease struct {
	lock  *lock
	owner string
	every time.Duration
	rpc   func() error
	timer *time.Timer
}

func acquire(l *lock, owner string, every time.Duration, rpc func() error) *lease {
	ls := &lease{lock: l, owner: owner, every: every, rpc: rpc}
	ls.lock.holder = owner
	ls.timer = time.AfterFunc(every, ls.renew)
	return ls
}

func (ls *lease) renew() {
	if err := ls.rpc(); err != nil {
		return
	}
	ls.lock.holder = ls.owner //race:lock.holder
}

// release gives the lock up.
func (ls *lease) release() {
	ls.timer.Stop()
	ls.lock.holder = "" //race:lock.holder
}

func main() {
	l := &lock{name: "compaction"}
	ls := acquire(l, "node-1", time.Millisecond, func() error {
		time.Sleep(3 * time.Millisecond)
		return nil
	})
	time.Sleep(2 * time.Millisecond)
	ls.release()
	time.Sleep(4 * time.Millisecond)
	fmt.Println("released", l.name)
}
