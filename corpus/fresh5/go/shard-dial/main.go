package main

import (
	"fmt"
	"sync"
	"time"
)

type backend struct {
	addr   string
	weight int
}

type conn struct {
	to string
}

func dial(addr string) *conn {
	time.Sleep(time.Millisecond)
	return &conn{to: addr}
}

func dialAll(backends []backend) []*conn {
	conns := make([]*conn, len(backends))
	var wg sync.WaitGroup
	for i, b := range backends { //race:dialAll.b
		wg.Add(1)
		slot := &conns[i]
		go func() {
			defer wg.Done()
			*slot = dial(b.addr) //race:dialAll.b
		}()
		time.Sleep(500 * time.Microsecond)
	}
	wg.Wait()
	return conns
}

func main() {
	conns := dialAll([]backend{
		{"10.1.0.1:6379", 1},
		{"10.1.0.2:6379", 1},
		{"10.1.0.3:6379", 2},
		{"10.1.0.4:6379", 2},
	})
	fmt.Println(len(conns), "shards")
}
