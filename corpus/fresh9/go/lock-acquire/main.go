package main

import (
	"fmt"
	"time"

	"example.com/coord/locks/coord"
)

type memStore struct{ locked chan string }

func (m memStore) TryLock(name, owner string) bool {
	select {
	case m.locked <- owner:
		return true
	default:
		return false
	}
}

func (m memStore) Renew(name, owner string) error {
	if len(name) == 0 {
		return coord.ErrLost
	}
	return nil
}

func main() {
	s := &coord.Session{Owner: "job-7", Store: memStore{make(chan string, 1)}, TTL: 9 * time.Millisecond}
	stop := make(chan struct{})
	ok, err := s.Acquire("nightly", stop)
	fmt.Println(ok, err)
	time.Sleep(10 * time.Millisecond)
	close(stop)
}
