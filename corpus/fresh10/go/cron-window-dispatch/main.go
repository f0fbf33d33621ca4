package main

import (
	"fmt"
	"time"
)

func main() {
	s := &scheduler{ran: make(chan string, 8)}
	s.add("rotate-keys", time.Minute)
	s.add("compact-logs", time.Minute)
	s.add("send-invoices", time.Minute)
	s.add("yearly-report", 365*24*time.Hour)

	n := s.dispatch(time.Now().Add(time.Hour))
	for i := 0; i < n; i++ {
		fmt.Println("ran", <-s.ran)
	}
}
