package coord

import (
	"errors"
	"time"
)

// ErrLost says that the lock belongs to someone else now.
var ErrLost = errors.New("lock lost")

// Store is where locks live.
type Store interface {
	TryLock(name, owner string) bool
	Renew(name, owner string) error
}

// Session takes locks for one owner.
type Session struct {
	Owner string
	Store Store
	TTL   time.Duration
}

// Acquire takes a lock and keeps it until stop is closed.
func (s *Session) Acquire(name string, stop <-chan struct{}) (ok bool, err error) {
	if !s.Store.TryLock(name, s.Owner) {
		return false, nil
	}
	go func() {
		t := time.NewTicker(s.TTL / 3)
		defer t.Stop()
		for {
			select {
			case <-stop:
				return
			case <-t.C:
				if err = s.Store.Renew(name, s.Owner); err != nil { //race:err
					return
				}
			}
		}
	}()
	time.Sleep(s.TTL / 2) // fencing: nobody may believe to hold it still
	return true, nil      //race:err
}
