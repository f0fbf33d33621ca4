// Command agent answers how many may log in.
package main

import (
	"fmt"
	"time"

	"example.com/seatkit/license"
)

func main() {
	renewed := make(chan struct{})
	paid := &license.License{Seats: 50, Expires: time.Now().Add(time.Hour)}
	go func() {
		license.Renew(func() *license.License { return paid }, 4, time.Millisecond)
		close(renewed)
	}()
	for seats := 1; seats < 6; seats++ {
		fmt.Println(seats, license.Allows(seats))
		time.Sleep(time.Millisecond)
	}
	<-renewed
}
