package main

import (
	"fmt"
	"time"
)

func register(s *server) {
	started := time.Now()
	s.handle("PING", func(string) string { return "PONG" })
	time.Sleep(500 * time.Microsecond) // the module for INFO is loaded
	s.handle("INFO", func(string) string { return fmt.Sprint(started.Unix()) })
}

func main() {
	inbox := make(chan command)
	go func() {
		for i := 0; i < 10; i++ {
			ask(inbox, "PING")
			time.Sleep(100 * time.Microsecond)
		}
	}()
	s := newServer("cache-1", inbox)
	register(s)
	time.Sleep(3 * time.Millisecond)
	fmt.Println(s.name, "up")
}
