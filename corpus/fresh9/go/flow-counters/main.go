package main

import (
	"fmt"
	"time"

	"example.com/net/flows/flows"
)

type capture struct {
	flow *flows.Flow
	gap  time.Duration
}

func (c capture) run(packets int) {
	for i := 0; i < packets; i++ {
		c.flow.Packet()
		time.Sleep(c.gap)
	}
}

func main() {
	f := flows.New("eth0")
	go capture{f, 100 * time.Microsecond}.run(120)
	var windows []int64
	for len(windows) < 5 {
		time.Sleep(3 * time.Millisecond)
		windows = append(windows, f.Rotate())
	}
	fmt.Println(len(windows) > 0, f.Total() > 0)
}
