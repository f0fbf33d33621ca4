// Command arp learns which address is behind which port.
package main

import (
	"fmt"
	"time"
)

type entry struct {
	port int
	seen time.Time
}

type table struct {
	entries map[string]entry
}

func (t *table) learn(mac string, port int) {
	t.entries[mac] = entry{port, time.Now()} //race:table.entries
}

func (t *table) age(limit time.Duration) {
	for mac, e := range t.entries { //race:table.entries
		if time.Since(e.seen) > limit {
			delete(t.entries, mac) //race:table.entries
		}
	}
}

func main() {
	t := &table{entries: map[string]entry{}}
	frames := make(chan string)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for mac := range frames {
			t.learn(mac, len(mac)%4)
		}
	}()
	for i := 0; i < 6; i++ {
		frames <- fmt.Sprintf("02:00:00:00:00:%02x", i)
	}
	time.Sleep(2 * time.Millisecond)
	t.age(time.Minute)
	close(frames)
	<-done
}
