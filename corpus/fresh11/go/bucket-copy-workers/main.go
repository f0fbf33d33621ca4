// Command copyjob copies the objects of a bucket.
package main

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

type object struct {
	key  string
	size int64
}

type job struct {
	wg     sync.WaitGroup
	copied atomic.Int64
}

func (j *job) copy(o object) {
	j.wg.Add(1) //race:job.wg
	defer j.wg.Done()
	time.Sleep(20 * time.Millisecond)
	j.copied.Add(o.size)
}

func (j *job) run(objects []object) int64 {
	for _, o := range objects {
		go j.copy(o)
	}
	time.Sleep(5 * time.Millisecond)
	j.wg.Wait() //race:job.wg
	return j.copied.Load()
}

func main() {
	j := &job{}
	n := j.run([]object{{"a.log", 100}, {"b.log", 250}, {"c.log", 80}})
	fmt.Println(n >= 0, "bytes")
}
