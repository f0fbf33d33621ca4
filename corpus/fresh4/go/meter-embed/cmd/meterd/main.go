package main

import (
	"fmt"
	"time"

	"github.com/deadheat-corpus/meterembed/meter"
)

func consume(d *meter.Daily, rounds int) {
	for i := 0; i < rounds; i++ {
		time.Sleep(5 * time.Millisecond)
		d.Spend(40)
	}
	time.Sleep(30 * time.Millisecond)
}

func export(d *meter.Daily) meter.Sample {
	time.Sleep(23 * time.Millisecond)
	return d.Sample()
}

func main() {
	d := &meter.Daily{Limit: 100}
	go consume(d, 6)
	last := export(d)
	fmt.Println(last.Used <= 100)
}
