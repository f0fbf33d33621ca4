package main

import (
	"fmt"
	"sync/atomic"
	"time"

	"example.com/iot/uplink/uplink"
)

type loopback struct{ sent *int64 }

func (l loopback) Send(p []byte) error {
	atomic.AddInt64(l.sent, int64(len(p)))
	return nil
}

func (l loopback) Close() error { return nil }

func main() {
	var sent int64
	u, err := uplink.Open(func() (uplink.Conn, error) { return &loopback{&sent}, nil })
	if err != nil {
		panic(err)
	}
	go u.Keep(2*time.Millisecond, 5)
	for i := 0; i < 40; i++ {
		if err := u.Publish([]byte{byte(i)}); err != nil {
			fmt.Println(err)
		}
		time.Sleep(400 * time.Microsecond)
	}
	fmt.Println("sent", atomic.LoadInt64(&sent))
}
