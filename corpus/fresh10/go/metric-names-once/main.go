package main

import (
	"fmt"
	"sync"
	"time"
)

func main() {
	n := &names{load: builtin}
	var readers sync.WaitGroup
	for i := 0; i < 3; i++ {
		readers.Add(1)
		go func() {
			defer readers.Done()
			time.Sleep(time.Duration(i) * 200 * time.Microsecond)
			_, _ = n.lookup("http_requests")
		}()
	}
	for i := 0; i < 8; i++ {
		_ = n.size()
		time.Sleep(100 * time.Microsecond)
	}
	readers.Wait()
	fmt.Println("names:", n.size())
}
