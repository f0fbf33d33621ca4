package main

import (
	"fmt"
	"sync"
	"time"
)

type mutation struct {
	epoch int
	key   string
}

// replayer applies mutations, and lets a reader wait until none is in flight.
type replayer struct {
	inflight sync.WaitGroup
	apply    func(mutation)
}

func (r *replayer) dispatch(m mutation) {
	r.inflight.Add(1) //race:replayer.inflight
	go func() {
		defer r.inflight.Done()
		r.apply(m)
	}()
}

// settle returns when what was dispatched has been applied.
func (r *replayer) settle() {
	r.inflight.Wait() //race:replayer.inflight
}

func (r *replayer) feed(mutations []mutation, gap time.Duration) {
	for _, m := range mutations {
		r.dispatch(m)
		time.Sleep(gap)
	}
}

func main() {
	r := &replayer{apply: func(mutation) { time.Sleep(200 * time.Microsecond) }}
	fed := make(chan struct{})
	go func() {
		defer close(fed)
		r.feed([]mutation{{1, "a"}, {1, "b"}, {2, "a"}, {3, "c"}}, 2*time.Millisecond)
	}()
	for i := 0; i < 4; i++ {
		time.Sleep(1500 * time.Microsecond)
		r.settle()
	}
	<-fed
	r.settle()
	fmt.Println("replayed")
}
