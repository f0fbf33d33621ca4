// Command eval decides who sees which feature.
package main

import (
	"fmt"
	"hash/fnv"
	"sync"
)

type evaluator struct {
	rules    map[string]uint32
	guard    sync.RWMutex
	lastUser string
}

func bucketOf(user string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(user))
	return h.Sum32() % 100
}

func (e *evaluator) enabled(flag, user string) bool {
	e.guard.RLock()
	defer e.guard.RUnlock()
	share, ok := e.rules[flag]
	if !ok {
		return false
	}
	e.lastUser = user //race:evaluator.lastUser
	return bucketOf(user) < share
}

func (e *evaluator) set(flag string, share uint32) {
	e.guard.Lock()
	e.rules[flag] = share
	e.guard.Unlock()
}

func main() {
	e := &evaluator{rules: map[string]uint32{}}
	e.set("new-checkout", 50)
	seen := make(chan bool)
	users := []string{"ada", "grace", "edsger", "barbara"}
	for _, u := range users {
		go func() { seen <- e.enabled("new-checkout", u) }()
	}
	n := 0
	for range users {
		if <-seen {
			n++
		}
	}
	fmt.Println(n, "of", len(users))
}
