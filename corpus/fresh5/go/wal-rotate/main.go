package main

import (
	"fmt"
	"time"

	"github.com/deadheat-corpus/walrotate/wal"
)

func main() {
	l := wal.Open(64)
	go func() {
		for i := 0; i < 12; i++ {
			l.Append([]byte("put k v"))
			time.Sleep(time.Millisecond)
		}
	}()
	for i := 0; i < 4; i++ {
		time.Sleep(3 * time.Millisecond)
		l.Rotate()
	}
	time.Sleep(15 * time.Millisecond)
	fmt.Println("segments", l.Segments())
}
