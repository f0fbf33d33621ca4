package main

import (
	"fmt"
	"time"
)

func counting(after int64) []revision {
	return []revision{{key: "limits/max", rev: after + 1}}
}

func watch(h *hub, name string, want int, done chan<- string) {
	n := 0
	for range h.subscribe(name) {
		if n++; n == want {
			break
		}
	}
	done <- name
}

func main() {
	h := &hub{source: counting}
	stop := make(chan struct{})
	go h.poll(time.Millisecond, stop)

	done := make(chan string)
	names := []string{"gateway", "billing", "search"}
	for _, n := range names {
		go watch(h, n, 2, done)
		time.Sleep(2 * time.Millisecond)
	}
	timeout := time.After(200 * time.Millisecond)
	for range names {
		select {
		case <-done:
		case <-timeout:
			fmt.Println("a watcher saw nothing")
		}
	}
	close(stop)
	fmt.Println("watched")
}
