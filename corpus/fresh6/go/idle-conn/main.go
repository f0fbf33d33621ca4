package main

import (
	"errors"
	"fmt"
	"time"
)

func main() {
	lost := 0
	for id := 0; id < 4; id++ {
		c := dial(id, 2*time.Millisecond)
		time.Sleep(2500 * time.Microsecond) // the caller was busy elsewhere
		if err := c.roundTrip(time.Millisecond); errors.Is(err, errClosed) {
			lost++
		}
		time.Sleep(time.Millisecond)
	}
	fmt.Println("lost", lost)
}
