package main

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

var errBusy = errors.New("busy")

type target struct {
	capacity int
}

func (t target) call(n int) error {
	if n%t.capacity == t.capacity-1 {
		return errBusy
	}
	return nil
}

type summary struct {
	done    int
	errors  int
	elapsed time.Duration
}

// run loads a target with several clients at once.
func run(t target, clients, calls int) summary {
	var done, failed int
	var wg sync.WaitGroup
	begin := time.Now()
	for c := 0; c < clients; c++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for n := 0; n < calls; n++ {
				if err := t.call(n); err != nil {
					failed++ //race:failed
					continue
				}
				done++ //race:done
			}
		}()
	}
	wg.Wait()
	return summary{done, failed, time.Since(begin)}
}

func main() {
	s := run(target{capacity: 4}, 3, 20)
	fmt.Println("calls", s.done+s.errors > 0)
}
