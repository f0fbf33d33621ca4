// Command presenced counts who is online.
package main

import (
	"fmt"
	"sync"

	"github.com/deadheat-corpus/presencerooms/rooms"
)

func main() {
	house := rooms.New()
	var wg sync.WaitGroup
	for i := 0; i < 3; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			connection(house)
		}()
	}
	wg.Wait()
	fmt.Println("everybody is home")
}

func connection(house *rooms.Rooms) {
	house.Walk(400000)
}
