package main

import (
	"fmt"
	"time"
)

func broadcast(s *peerSet, msg string) int {
	n := 0
	for p := range s.each() {
		if p.id != "" && msg != "" {
			n++
		}
	}
	return n
}

func main() {
	s := newPeerSet()
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range 12 {
			s.touch(fmt.Sprintf("p%d", i%5))
			if i%4 == 3 {
				s.drop(fmt.Sprintf("p%d", i%5))
			}
			time.Sleep(200 * time.Microsecond)
		}
	}()
	sent := 0
	for range 6 {
		time.Sleep(400 * time.Microsecond)
		sent += broadcast(s, "block 17")
	}
	<-done
	fmt.Println("sent some:", sent > 0)
}
