package main

import (
	"fmt"
	"time"
)

func main() {
	z := newZone("harbour", 300*time.Microsecond)
	go z.loop()
	for i := 0; i < 20; i++ {
		id := entityID(i)
		z.join(id, vec{float64(i), 0})
		time.Sleep(200 * time.Microsecond)
		if i%4 == 3 {
			z.leave(id - 2)
		}
	}
	z.stop()
	fmt.Println("ticks were made:", z.ticks > 0)
}
