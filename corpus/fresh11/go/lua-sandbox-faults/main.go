// Command sandbox runs scripts of players.
package main

import (
	"fmt"
	"time"
)

type script func(tick int)

type host struct {
	fault  string
	ticks  int
	output chan string
}

func (h *host) spawn(name string, s script) {
	go func() {
		defer func() {
			if r := recover(); r != nil {
				h.fault = fmt.Sprintf("%s: %v", name, r) //race:host.fault
			}
		}()
		for tick := 0; tick < 5; tick++ {
			s(tick)
			time.Sleep(300 * time.Microsecond)
		}
	}()
}

func (h *host) healthy() bool {
	return h.fault == "" //race:host.fault
}

func main() {
	h := &host{output: make(chan string, 8)}
	h.spawn("patrol", func(tick int) {})
	h.spawn("trader", func(tick int) {
		prices := []int{3, 5, 8}
		h.output <- fmt.Sprint(prices[tick])
	})
	for i := 0; i < 6; i++ {
		_ = h.healthy()
		time.Sleep(time.Millisecond)
	}
	fmt.Println("faults:", !h.healthy())
}
