package main

import (
	"fmt"
	"time"

	"github.com/deadheat-corpus/sessionheartbeat/session"
)

func main() {
	s := session.Open("peer-3", 2*time.Millisecond)
	for i := 0; i < 4; i++ {
		time.Sleep(2500 * time.Microsecond)
		s.Answered()
	}
	time.Sleep(5 * time.Millisecond)
	fmt.Println("session ends")
}
