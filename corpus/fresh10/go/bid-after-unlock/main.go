package main

import (
	"fmt"
	"sync"
	"time"
)

func main() {
	l := &lot{name: "clock", floor: 100}
	var bidders sync.WaitGroup
	for _, who := range []string{"ada", "bo", "cy"} {
		bidders.Add(1)
		go func() {
			defer bidders.Done()
			for i := 1; i < 20; i++ {
				l.bid(who, 100+i*len(who))
				time.Sleep(30 * time.Microsecond)
			}
		}()
	}
	for i := 0; i < 5; i++ {
		time.Sleep(100 * time.Microsecond)
		_ = l.String()
	}
	bidders.Wait()
	fmt.Println("sold", l.name)
}
