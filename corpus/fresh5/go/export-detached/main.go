package main

import (
	"fmt"
	"time"

	"github.com/deadheat-corpus/exportdetached/export"
)

func main() {
	sum := export.Run(export.Slow{Each: time.Millisecond}, 5*time.Millisecond)
	for i := 0; i < 3; i++ {
		fmt.Println(sum.Line() != "")
		time.Sleep(2 * time.Millisecond)
	}
	time.Sleep(15 * time.Millisecond)
}
