package main

import (
	"fmt"
	"time"
)

func main() {
	sent := make(chan int, 64)
	e := newExporter(2*time.Millisecond, func(b []sample) error {
		sent <- len(b)
		return nil
	})
	e.start()
	for i := 0; i < 12; i++ {
		e.observe("cpu_seconds_total", float64(i))
		time.Sleep(time.Millisecond)
	}
	e.stop()
	fmt.Println("batches:", len(sent) > 0)
}
