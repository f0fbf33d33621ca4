package main

import (
	"sync"
	"sync/atomic"
	"time"
)

type roller struct {
	wave    sync.WaitGroup
	updated atomic.Int32
	pause   time.Duration
}

// roll starts wave after wave.
func (r *roller) roll(waves [][]string) {
	for _, hosts := range waves {
		r.wave.Add(len(hosts)) //race:roller.wave
		for _, host := range hosts {
			go r.update(host)
		}
		time.Sleep(4 * r.pause)
	}
}

func (r *roller) update(host string) {
	defer r.wave.Done()
	time.Sleep(r.pause / time.Duration(len(host)))
	r.updated.Add(1)
}

// monitor notes the end of each wave.
func (r *roller) monitor(waves int, finished chan<- int) {
	seen := 0
	for seen < waves {
		r.wave.Wait() //race:roller.wave
		seen++
		time.Sleep(r.pause)
	}
	finished <- seen
}
