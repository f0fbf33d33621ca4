package main

import (
	"fmt"
	"time"
)

func main() {
	s := &server{}
	if err := s.reload("deny /admin\n"); err != nil {
		panic(err)
	}
	done := make(chan struct{})
	go s.watch([]string{"deny /internal\n", "deny /admin\ndeny /debug\n"}, done)
	refused := 0
	for i := 0; i < 20; i++ {
		if s.serve("/admin/users") == 403 {
			refused++
		}
		time.Sleep(500 * time.Microsecond)
	}
	<-done
	fmt.Println("refused some:", refused > 0)
}
