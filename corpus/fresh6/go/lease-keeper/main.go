package main

import (
	"fmt"
	"time"
)

type job struct {
	name string
	cost time.Duration
}

func runExclusive(jobs []job) error {
	k := Hold("locks.internal:2379", 4211, 6*time.Millisecond)
	for _, j := range jobs {
		select {
		case <-k.lost:
			return errNotHeld
		case <-time.After(j.cost):
		}
	}
	return k.Close()
}

func main() {
	err := runExclusive([]job{
		{"vacuum", 4 * time.Millisecond},
		{"reindex", 6 * time.Millisecond},
	})
	time.Sleep(5 * time.Millisecond)
	fmt.Println("exclusive section ended:", err)
}
