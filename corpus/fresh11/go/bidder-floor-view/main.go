// Command floors decides which bids are worth an auction.
package main

import (
	"fmt"
	"time"
)

func admitted(t *table, bid int) int {
	n := 0
	for _, row := range t.sorted() { //race:table.rows[]
		if row.cents > bid { //race:table.rows[]
			break
		}
		n++
	}
	return n
}

func main() {
	t := &table{rows: []floor{{"banner-top", 10}, {"sidebar", 20}, {"video", 90}}}
	stop := make(chan struct{})
	go func() {
		defer close(stop)
		for cents := 30; cents < 60; cents += 5 {
			t.raise("banner-top", cents)
			time.Sleep(time.Millisecond)
		}
	}()
	served := 0
	for i := 0; i < 12; i++ {
		served += admitted(t, 50)
		time.Sleep(500 * time.Microsecond)
	}
	<-stop
	fmt.Println("served", served > 0)
}
