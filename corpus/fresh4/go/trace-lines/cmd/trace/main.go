package main

import (
	"fmt"
	"time"

	"github.com/deadheat-corpus/tracelines/trace"
)

func request(t *trace.Trace, name string, wait time.Duration) {
	time.Sleep(wait)
	t.Span(name)
	time.Sleep(25 * time.Millisecond)
}

func main() {
	t := trace.New(42)
	go request(t, "get", 3*time.Millisecond)
	go request(t, "put", 10*time.Millisecond)
	time.Sleep(20 * time.Millisecond)
	fmt.Println("traced")
}
