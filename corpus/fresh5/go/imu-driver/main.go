package main

import (
	"fmt"
	"time"

	"github.com/deadheat-corpus/imudriver/imu"
)

func main() {
	bus := make(chan [3]int16, 8)
	dev := imu.Attach(bus)
	go func() {
		for i := int16(0); i < 8; i++ {
			bus <- [3]int16{i, 2 * i, 981}
			time.Sleep(time.Millisecond)
		}
	}()
	level := 0
	for i := 0; i < 4; i++ {
		time.Sleep(2 * time.Millisecond)
		if z, n := dev.Vertical(); z > 900 && n > 0 {
			level++
		}
	}
	time.Sleep(10 * time.Millisecond)
	fmt.Println("level", level >= 0)
}
