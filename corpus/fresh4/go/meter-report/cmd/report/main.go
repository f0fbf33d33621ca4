package main

import (
	"fmt"
	"time"

	"github.com/deadheat-corpus/meterreport/report"
)

type ticker struct {
	pause time.Duration
	times int
}

func (t ticker) each(f func(i int)) {
	for i := 0; i < t.times; i++ {
		time.Sleep(t.pause)
		f(i)
	}
}

func main() {
	r := report.NewReporter()
	go ticker{4 * time.Millisecond, 8}.each(func(int) { r.Read() })
	ticker{11 * time.Millisecond, 2}.each(func(i int) { r.Next(int64(i)) })
	fmt.Println("over")
}
