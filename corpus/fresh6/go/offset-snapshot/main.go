package main

import (
	"fmt"
	"sync"
	"time"
)

type record struct {
	topic     string
	partition int32
	offset    int64
}

func consume(t *tracker, in <-chan record, wg *sync.WaitGroup) {
	defer wg.Done()
	for r := range in {
		time.Sleep(200 * time.Microsecond)
		t.Commit(r.topic, r.partition, r.offset)
	}
}

func main() {
	t := newTracker("billing")
	in := make(chan record)
	var wg sync.WaitGroup
	for i := 0; i < 2; i++ {
		wg.Add(1)
		go consume(t, in, &wg)
	}

	rep := &lagReporter{src: t, head: func(key string) int64 { return 100 }}
	stop := make(chan struct{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		rep.run(time.Millisecond, stop)
	}()

	for off := int64(0); off < 40; off++ {
		in <- record{topic: "orders", partition: int32(off % 3), offset: off}
	}
	close(in)
	wg.Wait()
	close(stop)
	<-done
	fmt.Println("lag", rep.last)
}
