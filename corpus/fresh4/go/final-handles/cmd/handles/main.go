package main

import (
	"fmt"
	"runtime"
	"time"

	"github.com/deadheat-corpus/finalhandles/handle"
)

//go:noinline
func work(l *handle.Ledger) {
	for i := 0; i < 4; i++ {
		l.Acquire("h")
	}
}

func main() {
	l := new(handle.Ledger)
	work(l)
	for i := 0; i < 3; i++ {
		runtime.GC()
		time.Sleep(6 * time.Millisecond)
	}
	n, _ := l.Leaked()
	fmt.Println(n <= 4)
}
