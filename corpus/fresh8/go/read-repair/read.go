package main

import (
	"fmt"
	"sync"
	"time"
)

type version struct {
	replica string
	value   string
	clock   int
}

type replica struct {
	name string
	data map[string]version
	rtt  time.Duration
}

func (r *replica) get(key string) version {
	time.Sleep(r.rtt)
	return r.data[key]
}

// readOp asks all replicas of a key.
type readOp struct {
	key     string
	replies []version
	wg      sync.WaitGroup
}

func (op *readOp) ask(r *replica) {
	defer op.wg.Done()
	op.collect(r.get(op.key))
}

func (op *readOp) collect(v version) {
	op.replies = append(op.replies, v) //race:readOp.replies
}

func (op *readOp) newest() (best version) {
	for _, v := range op.replies {
		if v.clock > best.clock {
			best = v
		}
	}
	return best
}

func read(key string, replicas []*replica) version {
	op := &readOp{key: key}
	for _, r := range replicas {
		op.wg.Add(1)
		go op.ask(r)
	}
	op.wg.Wait()
	return op.newest()
}

func main() {
	var replicas []*replica
	for i := 1; i <= 3; i++ {
		name := fmt.Sprint("r", i)
		data := map[string]version{"k": {name, fmt.Sprint("v", i), i}}
		replicas = append(replicas, &replica{name, data, 100 * time.Microsecond})
	}
	fmt.Println("newest", read("k", replicas).clock > 0)
}
