// Command ticker prints what it does for debugging.
package main

import (
	"fmt"
	"time"
)

// Ticker counts its beats.
type Ticker struct {
	beats int
}

func (t *Ticker) beat() {
	t.beats = 1 //race:Ticker.beats
}

func debug(until time.Time) {
	for i := 0; time.Now().Before(until); i++ {
		println("debug: tick", i)
	}
}

func main() {
	t := &Ticker{}
	go t.beat()
	time.Sleep(5 * time.Millisecond)
	start := time.Now()
	go debug(start.Add(4 * time.Millisecond))
	for time.Since(start) < 100*time.Microsecond {
	}
	fmt.Println("beats", t.beats) //race:Ticker.beats
	time.Sleep(10 * time.Millisecond)
}
