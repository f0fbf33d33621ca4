package main

import (
	"fmt"
	"sync/atomic"
	"time"
)

type countingSink struct{ sent int64 }

func (c *countingSink) Send(body []byte) error {
	atomic.AddInt64(&c.sent, 1)
	return nil
}

func main() {
	out := &countingSink{}
	b := newBatcher(4, out)
	for i := 0; i < 24; i++ {
		b.Track(event{Name: fmt.Sprintf("click-%d", i), Seq: i})
		time.Sleep(100 * time.Microsecond)
	}
	b.Close()
	fmt.Println("sent", atomic.LoadInt64(&out.sent))
}
